/* order: rankings as permutations of document numbers, best first; and with equal numbers in the
 * order of a search engine, or in random order, drawn by seed, round and document. These draws have
 * purposes of their own, so exploration is independent of them. */
#ifndef RANKPIPE_ORDER_H
#define RANKPIPE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "math/rng.h"

/* order[m]: the documents 0 to m - 1 by score, highest first, ties in document order. No score is
 * NaN. `scratch` has room for m. O(m log m). */
void order_by_score(size_t m, const double *score, uint32_t *order, uint32_t *scratch);

/* The same in pieces: after each it asks go_on(of, steps), with the steps of the piece, of a few
 * nanoseconds each and fewer than ORDER_PIECE + m. Once the answer is false, the sort ends and
 * returns false: order[m] then holds documents, some of them twice. */
typedef bool order_go_on(void *of, size_t steps);
enum { ORDER_PIECE = 1 << 20 };
bool order_in_pieces(size_t m, const double *score, uint32_t *order, uint32_t *scratch,
                     order_go_on *go_on, void *of);

/* Is order[m] a permutation of 0 to m - 1? `scratch` has room for m. O(m). */
bool order_is_permutation(size_t m, const uint32_t *order, uint32_t *scratch);

/* The number of pairs i < j with value[i] < value[j]; order[m] as from order_by_score. `scratch`
 * has room for m. Exact. O(m log m). */
uint64_t order_inversions(size_t m, const double *value, uint32_t *order, uint32_t *scratch);

struct ties { /* how ties are broken */
    uint64_t seed;
    bool in_line_order; /* by document number instead of at random */
};

/* order[m]: the documents 0 to m - 1 by score in round t, highest first. Ties are in the order
 * base[m], a permutation of them; where base is NULL, as `ties` says, and then ties between scores
 * are drawn for RNG_TIES, those between indices for RNG_INDEX_TIES. No score is NaN. `scratch` has
 * room for m. O(m log m). */
void ties_rank(const struct ties *ties, enum rng_purpose purpose, uint64_t t, size_t m,
               const double *score, const uint32_t *base, uint32_t *order, uint32_t *scratch);

/* order[m] is a ranking by score, highest first, ties in any order. Documents with equal scores are
 * put into an order in which each permutation of them is equally likely; it depends on the rng and
 * the numbers of these documents alone, as the draw of document i is the i-th from here. O(m), and
 * O(n log n) for n equal scores. */
void ties_break(size_t m, const double *score, const struct rng *rng, uint32_t *order);

#endif
