/* udu: a covariance matrix P = U D U', stored as U and D: U is upper triangular with ones on its
 * diagonal, D is diagonal and positive. So P stays positive in spite of rounding.
 *
 * a[n (n + 1) / 2] holds the columns of U one after the other, each down to the diagonal, where D
 * stands. The identity is 1 on the diagonal and 0 elsewhere; the matrix grows at its end.
 *
 * kernels/covariance.h changes it by observations, and has variances of it. */
#ifndef RANKPIPE_UDU_H
#define RANKPIPE_UDU_H

#include <stdbool.h>
#include <stddef.h>

/* The length of `a` for n columns: n (n + 1) / 2, or SIZE_MAX if that is less. */
size_t udu_size(size_t n);

/* y[n] = U D^(1/2) x for x[n]: where x is standard normal, y has the covariance P. */
void udu_spread(const double *a, size_t n, const double *x, double *y);

/* In place, U and D become P^-1, its numbers on and above the diagonal, column by column; and such
 * numbers, of a positive matrix, become the U and D of its inverse. The second is false where they
 * are of no such matrix; a is then good for nothing. O(n^3). */
void udu_to_inverse(double *a, size_t n);
bool udu_of_inverse(double *a, size_t n);

/* y[n] = P x; and y[n] = P^-1 x, where a is P^-1. y is none of the other two. O(n^2). */
void udu_times(const double *a, size_t n, const double *x, double *y);
void udu_inverse_times(const double *a, size_t n, const double *x, double *y);

#endif
