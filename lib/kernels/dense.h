/* dense: products and sums of dense rows: of floats, where they lie in a stream, and of doubles.
 * Products are added in the lanes of vectors.h. */
#ifndef RANKPIPE_DENSE_H
#define RANKPIPE_DENSE_H

#include <stddef.h>

/* Rows of `dim` floats each, one after the other; their first n, at most dim, are used. */
struct dense {
    const unsigned char *x;
    size_t docs, dim, n;
};

/* s[docs]: w.x of each row, from w[n]: each feature is widened to double, and multiplied. */
void dense_times(const struct dense *dense, const double *w, double *s);

/* z[n] += g_i x_i, row after row; rows with g_i = 0 are not read. */
void dense_add(const struct dense *dense, const double *g, double *z);

/* x.y of n doubles each. */
double dense_dot(const double *x, const double *y, size_t n);

/* y += a x, n doubles each, which do not overlap. */
void dense_add_times(double a, const double *x, double *y, size_t n);

/* d = a - b of n floats each, perhaps unaligned. */
void dense_difference(const unsigned char *a, const unsigned char *b, size_t n, double *d);

#endif
