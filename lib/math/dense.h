/* dense: products of dense rows of floats, where they lie in a stream, in the lanes of lanes.h. */
#ifndef RANKPIPE_DENSE_H
#define RANKPIPE_DENSE_H

#include <stddef.h>

#include "math/vectors.h"

/* Rows of `dim` floats each, one after the other; their first n, at most dim, are used. */
struct dense {
    const unsigned char *x;
    size_t docs, dim, n;
};

/* s[docs]: w.x of each row, from w[n]: feature j is widened to double, multiplied by w_j and added
 * to lane j mod 16. */
void dense_times(const struct dense *dense, const double *w, double *s);

/* z[n] += g_i x_i, row after row; rows with g_i = 0 are not read. */
void dense_add(const struct dense *dense, const double *g, double *z);

/* The same by kind of machine, for tests: the kind may be at most vectors_best(). */
struct dense_kind {
    void (*times)(const struct dense *dense, const double *w, double *s);
    void (*add)(const struct dense *dense, const double *g, double *z);
};
const struct dense_kind *dense_for(enum vectors kind);

#endif
