/* udu: a covariance matrix P = U D U', stored as U and D: U is upper triangular with ones on its
 * diagonal, D is diagonal and positive. So P stays positive in spite of rounding.
 *
 * a[n (n + 1) / 2] holds the columns of U one after the other, each down to the diagonal, where D
 * stands. The identity is 1 on the diagonal and 0 elsewhere; the matrix grows at its end.
 *
 * kernels/covariance.h changes it by observations, kernels/variances.h reads it. */
#ifndef RANKPIPE_UDU_H
#define RANKPIPE_UDU_H

#include <stddef.h>

/* The length of `a` for n columns: n (n + 1) / 2, or SIZE_MAX if that is less. */
size_t udu_size(size_t n);

/* y[n] = U D^(1/2) x for x[n]: where x is standard normal, y has the covariance P. */
void udu_spread(const double *a, size_t n, const double *x, double *y);

#endif
