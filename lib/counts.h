/* counts: how many documents each query has, from a file beside the text: LightGBM's .query and
 * XGBoost's .group, a whole number a line. */
#ifndef RANKPIPE_COUNTS_H
#define RANKPIPE_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "fault.h"
#include "lines.h"
#include "stream.h"

struct counts { /* stays where it was opened */
    struct lines lines;
    char *file[2];
    uint64_t queries;   /* so far                                            */
    uint64_t documents; /* of them all                                       */
    size_t due;         /* of the query at hand; 0: there is no query more   */
};

/* Reads `file`, which stays the caller's, as `watch` does. */
void counts_open(struct counts *counts, const char *file, struct watch *watch);

/* Makes the next query the one at hand: 0, or a fault that tells file, line and the text at
 * fault. */
int counts_next(struct counts *counts, struct fault *fault);

/* A fault: the text ended when the query at hand had `docs` documents, fewer than are due. */
int counts_short(const struct counts *counts, size_t docs, struct fault *fault);

void counts_close(struct counts *counts);

#endif
