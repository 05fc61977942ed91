/* udu: a covariance matrix P = U D U', kept as what makes it: U with ones on its diagonal and
 * nothing below, D diagonal and positive. So P stays positive whatever is rounded. The columns of
 * U stand one behind the other, each down to the diagonal, where D is: a[n (n + 1) / 2]. It
 * grows at its end, and the identity is ones on the diagonal.
 *
 * The order of all sums is fixed: the same bits on each machine, and numbers of z at the end that
 * are 0 might as well not be there. */
#ifndef RANKPIPE_UDU_H
#define RANKPIPE_UDU_H

#include <stddef.h>

/* The numbers of n columns, SIZE_MAX if they are no fewer. */
size_t udu_size(size_t n);

/* An observation along z[n], with noise r > 0: u[n] = P z and b = z'P z + r, which is returned,
 * and P <- P - u u' / b (Bierman 1977). A b that is not finite leaves a matrix good for nothing. */
double udu_observe(double *a, size_t n, const double *z, double r, double *u);

/* z'P z for z[n]. */
double udu_variance(const double *a, size_t n, const double *z);

/* y[n] = U D^(1/2) x for x[n]: where x is standard normal, y has the covariance P. */
void udu_spread(const double *a, size_t n, const double *x, double *y);

#endif
