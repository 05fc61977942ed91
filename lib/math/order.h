/* order: rankings as permutations of document numbers, best first. */
#ifndef RANKPIPE_ORDER_H
#define RANKPIPE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* order[0..m-1] becomes 0..m-1 by score, highest first, ties in document order. No score is NaN.
 * `scratch` has room for m. O(m log m). */
void order_by_score(size_t m, const double *score, uint32_t *order, uint32_t *scratch);

/* Is order[0..m-1] a permutation of 0..m-1? `scratch` has room for m; O(m). */
bool order_is_permutation(size_t m, const uint32_t *order, uint32_t *scratch);

/* How many pairs i < j have value[i] < value[j]? Sorts `value` highest first on the way.
 * `scratch` has room for m. O(m log m); exact below 2^53 pairs and beyond. */
uint64_t order_inversions(size_t m, double *value, double *scratch);

#endif
