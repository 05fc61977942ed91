/* ties: rankings in which documents with equal numbers are in random order, drawn by seed, round
 * and document. The draws have purposes of their own, so exploration is independent of them. */
#ifndef RANKPIPE_TIES_H
#define RANKPIPE_TIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "math/rng.h"

struct ties { /* how ties are broken */
    uint64_t seed;
    bool in_line_order; /* by document number instead of at random */
};

/* order[m]: the documents 0 to m - 1 by score in round t, highest first, ties as `ties` says. Ties
 * between scores are drawn for RNG_TIES, those between indices for RNG_INDEX_TIES. No score is NaN.
 * `scratch` has room for m. O(m log m). */
void ties_rank(const struct ties *ties, enum rng_purpose purpose, uint64_t t, size_t m,
               const double *score, uint32_t *order, uint32_t *scratch);

/* order[m] is a ranking by score, highest first, ties in any order. Documents with equal scores are
 * put into an order in which each permutation of them is equally likely; it depends on the rng and
 * the numbers of these documents alone, as the draw of document i is the i-th from here. O(m), and
 * O(n log n) for n equal scores. */
void ties_break(size_t m, const double *score, const struct rng *rng, uint32_t *order);

#endif
