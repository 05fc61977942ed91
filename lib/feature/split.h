/* split: each feature as two, its deviation from the round's mean and that mean. */
#ifndef RANKPIPE_SPLIT_H
#define RANKPIPE_SPLIT_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "feature/rows.h"

struct split { /* all zero at first */
    struct buffer used, mean; /* uint32[n]: the features that any document has, rising; double[n] */
};

/* Into `out` the features of `in`, which is *dim wide: feature j is at 2j what it was less its mean
 * over all documents, and at 2j + 1 that mean. Sums are by documents in their order; what is not
 * listed is 0. *dim becomes the new width. 0, or a fault where that, or what is to be written, is
 * more than rows_start allows. */
int split_rows(struct split *split, const struct rows *in, size_t *dim, struct rows *out,
               struct fault *fault);

void split_close(struct split *split);

#endif
