/* base_rank: a feature of the place that a search engine gave each document, for learners that
 * begin with its order. With D(p) = 1 / log2(1 + p), as DCG discounts place p, and m documents,
 *
 *     g(p) = (D(p) - D(m)) / (D(1) - D(m)),  m = 1: 0
 *
 * falls from 1 to 0, and most where users look. */
#ifndef RANKPIPE_BASE_RANK_H
#define RANKPIPE_BASE_RANK_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "feature/rows.h"
#include "math/matrix.h"

struct base_rank { /* all zero at first */
    struct buffer discount; /* double[known]: D(1), D(2) ... */
    size_t known;
    struct buffer feature;  /* float[docs]: of the round at hand */
};

/* Points *y at the features of x, which is not MATRIX_UNIT, in a view of `out`: feature 1 is
 * that of base[docs], a permutation of the documents, first to last, and feature j of x is j + 1.
 * `in` is space that may be used. 0 or a fault (memory, or too many features). O(features). */
int base_rank_insert(struct base_rank *my, const uint32_t *base, const struct matrix *x,
                     struct rows *in, struct rows *out, struct matrix *y, struct fault *fault);

void base_rank_close(struct base_rank *my);

#endif
