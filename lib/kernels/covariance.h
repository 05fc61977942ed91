/* covariance: observations of a covariance matrix that is stored as its factors (math/udu.h). */
#ifndef RANKPIPE_COVARIANCE_H
#define RANKPIPE_COVARIANCE_H

#include <stddef.h>

/* An observation along z[n] with noise r > 0 (Bierman 1977): u[n] = P z, b = z'P z + r, and
 * P <- P - u u' / b. If b is not finite, the matrix is unusable. */
struct udu_observation {
    const double *z;
    double r, *u, b;
};

/* The observations o[k] one after the other, k at least 1, of the matrix a[n (n + 1) / 2], which
 * comes from memory once for all of them. The order of all sums is fixed: the bits are the same on
 * every machine, and zeros at the end of z change nothing. O(k n^2). */
typedef void covariance_kernel(double *a, size_t n, struct udu_observation *o, size_t k);
covariance_kernel covariance_portable, covariance_avx2;

#endif
