/* scale_dense: scales dense features to [0,1]. */
#ifndef RANKPIPE_SCALE_DENSE_H
#define RANKPIPE_SCALE_DENSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* made[docs][dim]; the sum over the documents of each feature made, sum[dim], the first document
 * first; and how many of those are not 0. */
struct scaled_dense {
    float *made;
    double *sum;
    uint64_t nonzero;
};

/* Of x[docs][dim], which are floats, docs and dim at least 1: each value less the least of its
 * feature, by the inverse of the largest less the least; 0 where these are equal, and never -0. In
 * double, rounded once. `spare` has room for 3 dim doubles. False where a value is not finite.
 * O(docs dim). */
bool scale_dense(const unsigned char *x, size_t docs, size_t dim, double *spare,
                 struct scaled_dense *out);

#endif
