/* rng: random numbers that depend on (seed, purpose, t) alone: uniform and normal ones, directions,
 * and items by a Zipf law. The bits are the same on every machine. */
#ifndef RANKPIPE_RNG_H
#define RANKPIPE_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"

/* What draws are for. Each use has its own purpose, so that programs with the same seed do not
 * share draws. Never change a number: the results of a seed depend on it. */
enum rng_purpose {
    RNG_EXPLORE = 1,
    RNG_REPLAY = 2,
    RNG_SAMPLE = 3,
    RNG_PAIRS = 4,
    RNG_BLOCK = 5,
    RNG_GAME = 6,
    RNG_CLICKS = 7,
    RNG_POSTERIOR = 9, /* 8 was of features up to 0.4.0 */
    RNG_RIVAL = 10,
    RNG_TIES = 11,
    RNG_MEMORY = 12,
    RNG_ZIPF_RANKS = 13,
    RNG_ZIPF = 14,
    RNG_INDEX_TIES = 15,
    RNG_NOISE = 16,
    RNG_DRAWN = 17,
    RNG_RESAMPLE = 18,
    RNG_SIGNS = 19,
    RNG_INTERLEAVE = 20,
    RNG_SEARCHES = 21,
    RNG_BAIT = 22,
    RNG_OWN_ORDER = 23,
    RNG_BUDGET = 32
};

struct rng {
    uint64_t state;
};

/* The generator at the start of the draws of round (or pass) t. */
struct rng rng_at(uint64_t seed, enum rng_purpose purpose, uint64_t t);

/* 64 random bits: SplitMix64 (Steele, Lea and Flood 2014). */
uint64_t rng_bits(struct rng *rng);

/* The bits that the i-th call of rng_bits from here would return, from 0; the rng stays. */
uint64_t rng_bits_at(const struct rng *rng, uint64_t i);

/* Uniform on [0, 1), a multiple of 2^-53. */
double rng_unit(struct rng *rng);

/* Uniform on 0..n-1, exactly; n at least 1. */
uint32_t rng_below(struct rng *rng, uint32_t n);

/* Draws order[n], a uniformly random permutation of 0 to n - 1. */
void rng_permutation(struct rng *rng, uint32_t *order, size_t n);

/* No draw is further from 0: the square of a draw is below -2 log 2^-104. */
#define NORMAL_MOST 12.02

/* Draws are made in pairs, and the second is stored. Start with { .rng = rng_at(...) }. The caller
 * may draw from `rng` in between. */
struct normals {
    struct rng rng;
    bool stored; /* is `second` the next draw? */
    double second;
};

/* A draw from N(0, 1): Marsaglia's polar method. */
double normal_draw(struct normals *normals);

/* P(N(0, 1) <= x), within 1e-15. */
double normal_below(double x);

/* The x with normal_below(x) = p, for p from 0.0001 to 0.9999: within 1e-11. */
double normal_quantile(double p);

/* Draws u[n], uniform on the unit sphere: a Gaussian vector, scaled to length 1. Draws nothing if n
 * is 0. */
void sphere_draw(struct normals *normals, size_t n, double *u);

/* Items drawn by a Zipf law: the item of rank r, from 1, with probability proportional to
 * r^-exponent (Zipf 1949). */
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
