/* order: rankings as permutations of document numbers, best first. */
#ifndef RANKPIPE_ORDER_H
#define RANKPIPE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "math/vectors.h"

/* order[m]: the documents 0 to m - 1 by score, highest first, ties in document order. No score is
 * NaN. `scratch` has room for m. O(m log m). */
void order_by_score(size_t m, const double *score, uint32_t *order, uint32_t *scratch);

/* The same by kind of machine, for tests: the kind may be at most vectors_best(). */
void order_for(enum vectors kind, size_t m, const double *score, uint32_t *order,
               uint32_t *scratch);

/* Is order[m] a permutation of 0 to m - 1? `scratch` has room for m. O(m). */
bool order_is_permutation(size_t m, const uint32_t *order, uint32_t *scratch);

/* The number of pairs i < j with value[i] < value[j]. Sorts `value`, highest first, on the way.
 * `scratch` has room for m. Exact. O(m log m). */
uint64_t order_inversions(size_t m, double *value, double *scratch);

#endif
