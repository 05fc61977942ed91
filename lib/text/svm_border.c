#include "text/svm_border.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

/* Whole lines. */
struct text {
    const char *from, *end;
};

/* A line that has a qid, a word of so many bytes. */
struct qid_line {
    const char *from; /* NULL: there is none */
    const char *qid;
    size_t n;
};

static bool ends_word(char c)
{
    return text_ends_number(c) || c == '\n' || c == '\r';
}

static const char *skip_word(const char *p)
{
    while (!ends_word(*p))
        p++;
    return p;
}

/* The qid of the line at `from`, before which at most a label stands. */
static struct qid_line read_line(const char *from)
{
    struct qid_line line = { NULL, NULL, 0 };
    const char *p = text_skip_blanks(from);
    if (*p != 'q')
        p = text_skip_blanks(skip_word(p));
    if (strncmp(p, "qid:", 4) != 0)
        return line;
    line.from = from;
    line.qid = p + 4;
    line.n = (size_t)(skip_word(p + 4) - line.qid);
    return line;
}

static bool is_same(const struct qid_line *a, const struct qid_line *b)
{
    return a->n == b->n && memcmp(a->qid, b->qid, a->n) == 0;
}

/* The first line with a qid that begins after `from`, and before `until`, where one begins. */
static struct qid_line line_after(const char *from, const char *until)
{
    struct qid_line line = { NULL, NULL, 0 };
    const char *end;
    while (!line.from && (end = memchr(from, '\n', (size_t)(until - from))) && end + 1 < until) {
        from = end + 1;
        line = read_line(from);
    }
    return line;
}

/* The last line with a qid. */
static struct qid_line last_line(const struct text *text)
{
    struct qid_line line = { NULL, NULL, 0 };
    for (const char *p = text->end; !line.from && p > text->from;) {
        p--;
        while (p > text->from && p[-1] != '\n')
            p--;
        line = read_line(p);
    }
    return line;
}

/* The line that divides the query of `first` from that of `last`, found by bisection: `first` stays
 * a line with another qid than `last`, and `last` one with the same as before. */
static const char *divide(struct qid_line first, struct qid_line last)
{
    const char *to = last.from;
    while (to > first.from) {
        const char *middle = first.from + (to - first.from) / 2;
        struct qid_line line = line_after(middle, last.from);
        if (!line.from) {
            to = middle;
        } else if (is_same(&line, &last)) {
            last = line;
            to = last.from;
        } else {
            first = line;
            to = last.from;
        }
    }
    return last.from;
}

struct svm_border svm_border(const char *text, size_t n)
{
    struct svm_border border = { 0, 0 };
    while (n > 0 && text[n - 1] != '\n')
        n--;
    struct text lines = { text, text + n };
    if (n == 0)
        return border;
    struct qid_line first = read_line(text), last = last_line(&lines);
    if (!first.from)
        first = line_after(text, text + n);
    if (!first.from || is_same(&first, &last))
        return border;
    const char *at = divide(first, last);
    border.at = (size_t)(at - text);
    border.end = (size_t)((const char *)memchr(at, '\n', n - border.at) + 1 - text);
    return border;
}
