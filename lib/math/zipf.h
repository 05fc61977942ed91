/* zipf: items drawn by a Zipf law: the item of rank r, from 1, with probability proportional to
 * r^-exponent (Zipf 1949). */
#ifndef RANKPIPE_ZIPF_H
#define RANKPIPE_ZIPF_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"

struct zipf { /* all zero at first */
    size_t n;
    uint64_t seed;
    struct buffer sums, items; /* double[n]: of r^-exponent up to each rank; uint32_t[n]: by rank */
};

/* The law of n items, 1 to 2^32 - 1, with an exponent above 0. Which item has which rank is a
 * random permutation, which depends on seed and n alone. 12 bytes an item. 0 or a fault. */
int zipf_start(struct zipf *zipf, size_t n, double exponent, uint64_t seed, struct fault *fault);

/* The item, from 0, of draw t: it depends on the law and t alone. O(log n). */
size_t zipf_item(const struct zipf *zipf, uint64_t t);

void zipf_close(struct zipf *zipf);

#endif
