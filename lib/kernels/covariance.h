/* covariance: a covariance matrix P = U D U' that is stored as its factors (math/udu.h): what
 * observations make of it, and the variances z'P z of several documents side by side.
 *
 * Column c of U gives f_c = (U'z)_c: the products of its numbers with z, those above the last
 * multiple of four up to c in lanes i mod 4, added as (0 + 2) + (1 + 3), then the others one by
 * one, then z_c. The sum of D_c f_c^2 over the columns, from the first, is the variance. So the
 * bits are the same on every machine, for one document or many, and zeros at the end of z change
 * nothing. */
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

#endif
