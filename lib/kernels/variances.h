/* variances: z'P z of several documents side by side, for P = U D U' as udu.h has it.
 *
 * Column c of U gives f_c = (U'z)_c: the products of its numbers with z, those above the last
 * multiple of four up to c in lanes i mod 4, added as (0 + 2) + (1 + 3), then the others one by
 * one, then z_c. The sum of D_c f_c^2 over the columns, from the first, is the variance. So the
 * bits are the same on every machine, for one document or many, and zeros at the end of z change
 * nothing. */
#ifndef RANKPIPE_VARIANCES_H
#define RANKPIPE_VARIANCES_H

#include <stddef.h>

enum { VARIANCES_ABREAST = 16 };

/* For documents that have numbers 1, 3, 5, ... of z in common: shared[n], what lanes 1 and 3 add to
 * f_c of each column. O(n^2). */
void variances_shared(const double *a, size_t n, const double *z, double *shared);

/* v[d]: z'P z of 16 documents; number i of document d is z[16 * i + d]. `shared` is from
 * variances_shared; NULL: they have nothing in common. O(n^2). */
typedef void variances_kernel(const double *a, size_t n, const double *z, const double *shared,
                              double v[VARIANCES_ABREAST]);
variances_kernel variances_portable, variances_avx2, variances_avx512;

#endif
