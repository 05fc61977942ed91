/* round_share: cuts a stream into shares by query, so that all rounds of a query are in one. */
#ifndef RANKPIPE_ROUND_SHARE_H
#define RANKPIPE_ROUND_SHARE_H

#include <stdint.h>

#include "stream/round.h"

/* The share of a round, from 1 to `shares`: by a hash of its qid, the same everywhere; by that of
 * its number where it has none. */
uint64_t round_share(const struct round *round, uint64_t shares);

#endif
