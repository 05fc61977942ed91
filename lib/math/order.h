/* order: rankings as permutations of document numbers, best first. */
#ifndef RANKPIPE_ORDER_H
#define RANKPIPE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
