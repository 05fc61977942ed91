/* ties: documents with equal scores in random order, drawn by (seed, round number, document). The
 * draws have a purpose of their own, so they are independent of exploration. */
#ifndef RANKPIPE_TIES_H
#define RANKPIPE_TIES_H

#include <stddef.h>
#include <stdint.h>

/* order[m] is a ranking by score, highest first, ties in any order. Documents with equal scores are
 * put into an order in which each permutation of them is equally likely; it depends on seed, t and
 * the numbers of these documents alone. O(m), and O(n log n) for n equal scores. */
void ties_break(size_t m, const double *score, uint64_t seed, uint64_t t, uint32_t *order);

#endif
