/* siphash_eight: SipHash-2-4 (base/siphash.h) of eight texts that begin alike, side by side. */
#ifndef RANKPIPE_SIPHASH_EIGHT_H
#define RANKPIPE_SIPHASH_EIGHT_H

#include <stdint.h>

#include "base/siphash.h"

enum { SIPHASH_EIGHT = 8 };

/* out[8]: the hashes of the bytes of `begun` and n more, at most 16: those of text i are the lowest
 * of low[i] first, and after eight those of high[i]. The bits past them are 0. */
void siphash_eight(const struct siphash *begun, const uint64_t low[SIPHASH_EIGHT],
                   const uint64_t high[SIPHASH_EIGHT], unsigned n, uint64_t out[SIPHASH_EIGHT]);

#endif
