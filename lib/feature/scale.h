/* scale: each feature to [0,1] within a query: by its value, or by its rank. */
#ifndef RANKPIPE_SCALE_H
#define RANKPIPE_SCALE_H

#include "base/fault.h"
#include "feature/rows.h"

/* Replaces each value by (value - least) / (largest - least) over the documents, or by 0 where
 * these are equal. What a document does not list is 0. In double, rounded once to float. All values
 * are finite. O(n log n). 0, or a fault: more than 2^27 features to write, because one below 0
 * makes every document list it. */
int scale_rows(struct rows *rows, struct fault *fault);

/* The same for a dense matrix, directly: 1, and *y is the result, a view of `out`; 0 where that
 * cannot be, and *y is undefined; or a fault (memory). O(docs dim). */
int scale_dense(const struct matrix *x, struct rows *out, struct matrix *y, struct fault *fault);

/* The same for the rank of each value among those of its feature, the smallest first; equal values
 * have the mean of their ranks. So the smallest value becomes 0 and the largest 1. */
int scale_rank_rows(struct rows *rows, struct fault *fault);

#endif
