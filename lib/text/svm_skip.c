#include "text/svm_skip.h"

#include <string.h>

#include "base/text.h"
#include "text/qid_word.h"

/* Is the line that comes next too long to be read? */
static bool is_endless(const struct lines *lines)
{
    const char *text = lines->buffer.at;
    return lines->until - lines->from > LINES_MOST &&
           !memchr(text + lines->from, '\n', LINES_MOST + 1);
}

/* The next line: 1, 0 at the end, or a fault. A line with a NUL byte is a line. */
static int next_line(struct svm *svm, struct fault *fault)
{
    struct fault why = { FAULT_NONE, "" };
    int got = lines_next(&svm->lines, &why);
    if (got >= 0)
        return got;
    if (why.kind == FAULT_DATA && !is_endless(&svm->lines))
        return 1;
    *fault = why;
    return -1;
}

static int skip_to_blank(struct svm *svm, struct fault *fault)
{
    int got = 1;
    while (!svm->over && (got = next_line(svm, fault)) > 0)
        svm->over = svm->lines.bytes == 0 || !*text_skip_blanks(svm->lines.text);
    return got < 0 ? -1 : 0;
}

static int skip_qid(struct svm *svm, struct fault *fault)
{
    char bad[QID_BYTES + 1] = "", qid[QID_BYTES + 1];
    int got;
    if (!qid_word_find(svm->lines.text, bad) && svm->rows.docs && svm->any_qid)
        strcpy(bad, svm->qid.at);
    while ((got = next_line(svm, fault)) > 0)
        if (qid_word_find(svm->lines.text, qid) && strcmp(qid, bad) != 0) {
            lines_again(&svm->lines);
            return 0;
        }
    return got;
}

int svm_skip(struct svm *svm, struct fault *fault)
{
    if (svm->over)
        return 0;
    if (is_endless(&svm->lines))
        return next_line(svm, fault);
    return (svm->options.blank_ends ? skip_to_blank : skip_qid)(svm, fault);
}
