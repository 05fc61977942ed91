/* rng: random numbers that depend on (seed, purpose, t) alone. */
#ifndef RANKPIPE_RNG_H
#define RANKPIPE_RNG_H

#include <stddef.h>
#include <stdint.h>

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
    RNG_FOURIER = 8,
    RNG_POSTERIOR = 9,
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

#endif
