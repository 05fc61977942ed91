/* covariance: a covariance matrix P = U D U', stored as U and D: what observations make of it, the
 * variances z'P z of several documents side by side, products, and the inverse. U is upper
 * triangular with ones on its diagonal, D is diagonal and positive. So P stays positive in spite of
 * rounding.
 *
 * a[n (n + 1) / 2] holds the columns of U one after the other, each down to the diagonal, where D
 * stands. The identity is 1 on the diagonal and 0 elsewhere; the matrix grows at its end.
 *
 * Column c of U gives f_c = (U'z)_c: the products of its numbers with z, those above the last
 * multiple of four up to c in lanes i mod 4, added as (0 + 2) + (1 + 3), then the others one by
 * one, then z_c. The sum of D_c f_c^2 over the columns, from the first, is the variance. So the
 * bits are the same on every machine, for one document or many, and zeros at the end of z change
 * nothing. */
#ifndef RANKPIPE_COVARIANCE_H
#define RANKPIPE_COVARIANCE_H

#include <stdbool.h>
#include <stddef.h>

/* An observation along z[n] with noise r > 0 (Bierman 1977): u[n] = P z, b = z'P z + r, and
 * P <- P - u u' / b. If b is not finite, the matrix is unusable. */
struct udu_observation {
    const double *z;
    double r, *u, b;
};

/* The observations o[k] one after the other, k at least 1, of the matrix a[n (n + 1) / 2], which
 * comes from memory once for all of them. O(k n^2). */
void covariance_observe(double *a, size_t n, struct udu_observation *o, size_t k);

enum { COVARIANCE_ABREAST = 16 };

/* For documents that have numbers 1, 3, 5, ... of z in common: shared[n], what lanes 1 and 3 add to
 * f_c of each column. O(n^2). */
void covariance_shared(const double *a, size_t n, const double *z, double *shared);

/* v[d]: z'P z of 16 documents; number i of document d is z[16 * i + d]. `shared` is from
 * covariance_shared; NULL: they have nothing in common. O(n^2). */
void covariance_variances(const double *a, size_t n, const double *z, const double *shared,
                          double v[COVARIANCE_ABREAST]);

/* The length of `a` for n columns: n (n + 1) / 2, or SIZE_MAX if that is less. */
size_t udu_size(size_t n);

/* y[n] = U D^(1/2) x for x[n]: where x is standard normal, y has the covariance P. */
void udu_spread(const double *a, size_t n, const double *x, double *y);

/* x[n] = P e_k, column k of P: the terms of each column of U, one after the other. O(n^2). */
void udu_column(const double *a, size_t n, size_t k, double *x);

/* In place, U and D become P^-1, its numbers on and above the diagonal, column by column; and such
 * numbers, of a positive matrix, become the U and D of its inverse. The second is false where they
 * are of no such matrix; a is then good for nothing. O(n^3). */
void udu_to_inverse(double *a, size_t n);
bool udu_of_inverse(double *a, size_t n);

/* y[n] = P x; and y[n] = P^-1 x, where a is P^-1. y is none of the other two. O(n^2). */
void udu_times(const double *a, size_t n, const double *x, double *y);
void udu_inverse_times(const double *a, size_t n, const double *x, double *y);

#endif
