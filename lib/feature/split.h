/* split: turns each feature into two, its deviation from the round's mean, and that mean. */
#ifndef RANKPIPE_SPLIT_H
#define RANKPIPE_SPLIT_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "feature/rows.h"

struct split { /* all zero at first */
    struct buffer used, mean; /* uint32[n]: features that any document lists, rising; double[n] */
};

/* Writes into `out` the features of `in`, which has *dim of them: at 2j feature j minus its mean
 * over all documents, and at 2j + 1 that mean. Sums go by documents in their order; a feature that
 * is not listed is 0. *dim doubles. 0, or a fault where that is more than rows_start allows. */
int split_rows(struct split *split, const struct rows *in, size_t *dim, struct rows *out,
               struct fault *fault);

/* The same from dense features x to y, which lies in `out`: 1; 0 where that needs split_rows, for a
 * fault or for the sparse form; or a fault (memory). */
int split_dense(struct split *split, const struct matrix *x, struct rows *out, struct matrix *y,
                struct fault *fault);

void split_close(struct split *split);

#endif
