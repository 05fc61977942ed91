/* kernel: the Gaussian kernel of a matrix's rows with rows that are kept. */
#ifndef RANKPIPE_KERNEL_H
#define RANKPIPE_KERNEL_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "math/matrix.h"

/* *s: sum over p of k(row i of x, kept[2p]) - k(row i of x, kept[2p + 1]), with k(x, y) =
 * exp(-gamma |x - y|^2), of kept[2 pairs][dim]. What a row lacks is 0. Pairs of rows that are all 0
 * add nothing. Works in `buffer`. 0, or a fault (memory). O(pairs (dim + width of x)). */
int kernel_pairs(const struct matrix *x, size_t i, const double *kept, size_t pairs, size_t dim,
                 double gamma, double *s, struct buffer *buffer, struct fault *fault);

/* row[dim]: row i of x, which reaches no further than dim. `buffer` as above. 0 or a fault. */
int kernel_keep(const struct matrix *x, size_t i, size_t dim, double *row, struct buffer *buffer,
                struct fault *fault);

#endif
