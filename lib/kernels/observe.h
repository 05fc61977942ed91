/* observe: observations of a covariance matrix that is stored as its factors (math/udu.h). */
#ifndef RANKPIPE_OBSERVE_H
#define RANKPIPE_OBSERVE_H

#include <stddef.h>

/* One of several observations: z[n], r, u[n] and b as udu_observe has them. */
struct udu_observation {
    const double *z;
    double r, *u, b;
};

/* The observations o[k] one after the other, k at least 1, of the matrix a[n (n + 1) / 2]: the same
 * bits as k calls of udu_observe, but the matrix comes from memory once. O(k n^2). */
typedef void observe_kernel(double *a, size_t n, struct udu_observation *o, size_t k);
observe_kernel observe_portable, observe_avx2;

#endif
