#include "text/svm_skip.h"

#include <string.h>

#include "base/text.h"
#include "text/qid_word.h"

static int skip_to_blank(struct svm *svm, struct fault *fault)
{
    int got = 1;
    while (!svm->over && (got = lines_next_any(&svm->lines, fault)) > 0)
        svm->over = svm->lines.bytes == 0 || !*text_skip_blanks(svm->lines.text);
    return got < 0 ? -1 : 0;
}

static int skip_qid(struct svm *svm, struct fault *fault)
{
    char bad[QID_BYTES + 1] = "", qid[QID_BYTES + 1];
    int got;
    if (!qid_word_find(svm->lines.text, bad) && svm->rows.docs && svm->any_qid)
        strcpy(bad, svm->qid);
    while ((got = lines_next_any(&svm->lines, fault)) > 0)
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
    if (lines_endless(&svm->lines))
        return lines_next_any(&svm->lines, fault);
    return (svm->options.blank_ends ? skip_to_blank : skip_qid)(svm, fault);
}
