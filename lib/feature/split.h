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

void split_close(struct split *split);

#endif
