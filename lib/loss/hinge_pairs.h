/* hinge_pairs: the gradient of ranksvm where all relevances are known, by sorting. */
#ifndef RANKPIPE_HINGE_PAIRS_H
#define RANKPIPE_HINGE_PAIRS_H

#include <stddef.h>

/* g[m]: of the pairs of documents i and j with R_i > R_j and 1 + s_j > s_i, the sum as doubles,
 * those where document d is j, less those where it is i. Whole numbers, so the bits are those of
 * adding the pairs up in any order. s and R are finite. `scratch` has room for HINGE_PAIRS_SCRATCH
 * m numbers. O(m log m). */
enum { HINGE_PAIRS_SCRATCH = 3 };
void hinge_pairs(size_t m, const double *s, const double *R, double *g, double *scratch);

#endif
