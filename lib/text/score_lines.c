#include "text/score_lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/text.h"

void score_lines_open(struct score_lines *scores, const char *file, struct watch *watch)
{
    memset(scores, 0, sizeof *scores);
    scores->file[0] = (char *)file;
    lines_open(&scores->lines, scores->file, watch);
}

void score_lines_close(struct score_lines *scores)
{
    lines_close(&scores->lines);
}

/* The next line that is not blank, as a number: 1, 0 at the end, or a fault. */
static int next(struct score_lines *scores, double *score, struct fault *fault)
{
    struct lines *line = &scores->lines;
    const char *p;
    do {
        int more = lines_next(line, fault);
        if (more <= 0)
            return more;
        p = text_skip_blanks(line->text);
    } while (*p == '\0');
    const char *end = decimal_end(p);
    *score = strtod(p, NULL);
    if (end == p || *text_skip_blanks(end) || !isfinite(*score))
        return lines_wrong(line, line->text, line->bytes, fault, "a score must be one finite "
                           "number, not");
    scores->documents++;
    return 1;
}

int score_lines_next(struct score_lines *scores, size_t n, double *s, struct fault *fault)
{
    for (size_t i = 0; i < n; i++) {
        int got = next(scores, &s[i], fault);
        if (got < 0) return -1;
        if (got == 0)
            return fault_data(fault, "%s has scores for %" PRIu64 " documents, but there are more: "
                              "were the scores made of these rounds?", scores->lines.name,
                              scores->documents);
    }
    return 0;
}

int score_lines_end(struct score_lines *scores, struct fault *fault)
{
    double score;
    uint64_t documents = scores->documents;
    int got = next(scores, &score, fault);
    if (got <= 0)
        return got;
    return fault_data(fault, "%s has a score after those of all %" PRIu64 " documents: were the "
                      "scores made of these rounds?", scores->lines.name, documents);
}
