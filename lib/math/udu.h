/* udu: a covariance matrix P = U D U', stored as its factors: U is upper triangular with ones on
 * its diagonal, and D is diagonal and positive. So P stays positive definite under rounding. The
 * array a[n (n + 1) / 2] has the columns of U one after the other, each down to the diagonal, where
 * the number of D stands. A larger matrix adds numbers at the end; the identity has ones on the
 * diagonal.
 *
 * The order of all sums is fixed, so every machine gives the same bits, and zeros at the end of z
 * change nothing. */
#ifndef RANKPIPE_UDU_H
#define RANKPIPE_UDU_H

#include <stddef.h>

/* The length of a for n columns; SIZE_MAX where a size_t is too small for it. */
size_t udu_size(size_t n);

/* An observation along z[n], with noise r > 0: u[n] = P z and b = z'P z + r, which is returned, and
 * P <- P - u u' / b (Bierman 1977). Where b is not finite, the matrix cannot be used any more.
 * O(n^2). */
double udu_observe(double *a, size_t n, const double *z, double r, double *u);

/* z'P z for z[n]. O(n^2). */
double udu_variance(const double *a, size_t n, const double *z);

/* y[n] = U D^(1/2) x for x[n]: if x is standard normal, y has the covariance P. O(n^2). */
void udu_spread(const double *a, size_t n, const double *x, double *y);

#endif
