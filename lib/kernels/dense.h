/* dense: products of dense rows of floats, where they lie in a stream, in the lanes of lanes.h. */
#ifndef RANKPIPE_DENSE_H
#define RANKPIPE_DENSE_H

#include <stddef.h>

/* Rows of `dim` floats each, one after the other; their first n, at most dim, are used. */
struct dense {
    const unsigned char *x;
    size_t docs, dim, n;
};

/* s[docs]: w.x of each row, from w[n]: feature j is widened to double, multiplied by w_j and added
 * to lane j mod 16. */
typedef void dense_times_kernel(const struct dense *dense, const double *w, double *s);
dense_times_kernel dense_times_portable, dense_times_avx2, dense_times_avx512;

/* z[n] += g_i x_i, row after row; rows with g_i = 0 are not read. */
typedef void dense_add_kernel(const struct dense *dense, const double *g, double *z);
dense_add_kernel dense_add_portable, dense_add_avx2;

#endif
