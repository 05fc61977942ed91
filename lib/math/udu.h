/* udu: a covariance matrix P = U D U', stored as U and D: U is upper triangular with ones on its
 * diagonal, D is diagonal and positive. So P stays positive in spite of rounding.
 *
 * a[n (n + 1) / 2] holds the columns of U one after the other, each down to the diagonal, where D
 * stands. The identity is 1 on the diagonal and 0 elsewhere; the matrix grows at its end.
 *
 * The order of all sums is fixed. So the bits are the same on every machine, and zeros at the end
 * of z change nothing. */
#ifndef RANKPIPE_UDU_H
#define RANKPIPE_UDU_H

#include <stddef.h>

/* The length of `a` for n columns: n (n + 1) / 2, or SIZE_MAX if that is less. */
size_t udu_size(size_t n);

/* An observation along z[n] with noise r > 0 (Bierman 1977): u[n] = P z, b = z'P z + r, and
 * P <- P - u u' / b. Returns b; if b is not finite, the matrix is unusable. O(n^2). */
double udu_observe(double *a, size_t n, const double *z, double r, double *u);

/* y[n] = U D^(1/2) x for x[n]: where x is standard normal, y has the covariance P. */
void udu_spread(const double *a, size_t n, const double *x, double *y);

#endif
