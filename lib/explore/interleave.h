/* interleave: two rankings of one query's documents meet: a rival, and one list made of both (Yue &
 * Joachims 2009; Radlinski, Kurup & Joachims 2008). */
#ifndef RANKPIPE_INTERLEAVE_H
#define RANKPIPE_INTERLEAVE_H

#include <stddef.h>
#include <stdint.h>

#include "math/rng.h"

/* Where round t's rival lies from the weights it meets: u[n], of length 1, drawn uniformly by
 * (seed, t) and for n weights. Who scores and who learns draw the same, and need not tell. */
void interleave_direction(uint64_t seed, uint64_t t, size_t n, double *u);

/* Team draft: order[m] is made of two orders of m documents. By twos of places, a coin says who
 * chooses first; each chooses the best of its own order that is not there yet. team[a] is 1 where
 * the document at place a is the rival's choice, and else 0. `taken` has room for m. O(m). */
void interleave_draft(size_t m, const uint32_t *mine, const uint32_t *rivals, struct rng *rng,
                uint32_t *order, unsigned char *team, unsigned char *taken);

#endif
