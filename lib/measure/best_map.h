/* best_map: the best fixed ranking of a short list for mean average precision, over many rounds.
 *
 * With labels of n relevant items, AP(ranking) = sum over relevant items i of (relevant items not
 * below i) / (n position(i)). Let A_ij be the sum over rounds of [i and j are relevant] / n. The
 * sum of AP over these rounds is then
 *   sum over positions p of (1/p) sum over positions q <= p of A[item at p][item at q],
 * so A says how good every fixed ranking was. No sort finds the best of them: what an item adds
 * depends on the set of items above it. So all sets are enumerated. */
#ifndef RANKPIPE_BEST_MAP_H
#define RANKPIPE_BEST_MAP_H

#include <stddef.h>

enum { BEST_MAP_ITEMS = 16 }; /* the longest list */

/* Adds a round to A = pair[m*m], by what each item adds to its own A_ii: share[m] is 1/n for the
 * n relevant items and 0 for the others. O(m^2). */
void best_map_add(size_t m, const double *share, double *pair);

/* The largest sum of AP of any fixed ranking of m items, at most BEST_MAP_ITEMS. `scratch` has
 * room for 2^m. O(2^m m^2): a few milliseconds for 16 items. */
double best_map_value(size_t m, const double *pair, double *scratch);

#endif
