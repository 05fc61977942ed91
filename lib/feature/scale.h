/* scale: each feature to [0,1] within a query: by its value, or by its rank. */
#ifndef RANKPIPE_SCALE_H
#define RANKPIPE_SCALE_H

#include "base/fault.h"
#include "feature/rows.h"
#include "math/matrix.h"

/* Points *y, which may be x, at a view of `out`: the features of x, each value replaced by (value -
 * least) / (largest - least) over the documents, or by 0 where these are equal. What a document
 * does not list is 0. In double, rounded once to float. x is not MATRIX_UNIT, and not a view of
 * `out`. O(docs dim), or O(n log n) where few features are listed. 0, or a fault: a value is not
 * finite, or there would be more than 2^27 features because one below 0 makes every document list
 * it. */
int scale_values(const struct matrix *x, struct rows *out, struct matrix *y, struct fault *fault);

/* The same for the rank of each value among those of its feature, the smallest first; equal values
 * have the mean of their ranks. So the smallest value becomes 0 and the largest 1. O(n log n). */
int scale_ranks(const struct matrix *x, struct rows *out, struct matrix *y, struct fault *fault);

#endif
