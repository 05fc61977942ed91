/* interleave: compares a ranking with a rival's: where the rival's weights lie (Yue & Joachims
 * 2009), and one list interleaved from both (Radlinski, Kurup & Joachims 2008; Hofmann, Whiteson &
 * de Rijke 2011). */
#ifndef RANKPIPE_INTERLEAVE_H
#define RANKPIPE_INTERLEAVE_H

#include <stddef.h>
#include <stdint.h>

#include "math/rng.h"

/* u[n]: the direction from the current weights to round t's rival, a vector of length 1, uniform on
 * the sphere. It depends on (seed, t, n) alone, so score and update draw the same one. */
void interleave_direction(uint64_t seed, uint64_t t, size_t n, double *u);

/* Team draft: order[m] is interleaved from two orders of m documents. For every two places a coin
 * decides who chooses first; each side chooses the best document of its own order that is not taken
 * yet. team[a] is 1 if the rival chose the document at place a, else 0. `taken` has room for m.
 * O(m). */
void interleave_draft(size_t m, const uint32_t *mine, const uint32_t *rivals, struct rng *rng,
                      uint32_t *order, unsigned char *team, unsigned char *taken);

/* Probabilistic interleaving: a coin for each place decides who chooses; each side draws one of the
 * documents left, with probability in proportion to 1 / rank^3, by its rank in the side's own
 * order. team[a] as above. `numbers` has room for 4 m, `scratch` for 5 m. O(m log m). */
void interleave_draw(size_t m, const uint32_t *mine, const uint32_t *rivals, struct rng *rng,
                     uint32_t *order, unsigned char *team, double *numbers, uint32_t *scratch);

#endif
