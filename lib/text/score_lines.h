/* score_lines: reads the scores that another ranker gave to documents, from a file: one number a
 * line, as xgboost and LightGBM print predictions. */
#ifndef RANKPIPE_SCORE_LINES_H
#define RANKPIPE_SCORE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "io/lines.h"
#include "io/watch.h"

struct score_lines { /* must not be moved while it is open */
    struct lines lines;
    char *file[2];
    uint64_t documents; /* so far */
};

/* Reads `file`, waiting as the watch says. Both stay the caller's. */
void score_lines_open(struct score_lines *scores, const char *file, struct watch *watch);

/* The next n scores into s[n]. 0, or a fault with file and line: one is no finite number, or there
 * are fewer. */
int score_lines_next(struct score_lines *scores, size_t n, double *s, struct fault *fault);

/* The rounds are at their end: 0, or a fault if scores are left. */
int score_lines_end(struct score_lines *scores, struct fault *fault);

void score_lines_close(struct score_lines *scores);

#endif
