/* rng: random numbers that depend only on (seed, purpose, t). */
#ifndef RANKPIPE_RNG_H
#define RANKPIPE_RNG_H

#include <stddef.h>
#include <stdint.h>

/* One for each use, so that two programs with the same seed share no draws. The same seed must
 * always give the same draws: never change one of these numbers. */
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
    RNG_INTERLEAVE = 10
};

struct rng {
    uint64_t state;
};

/* The start of the draws for round (or pass) t. */
struct rng rng_at(uint64_t seed, enum rng_purpose purpose, uint64_t t);

/* 64 random bits: SplitMix64 (Steele, Lea and Flood 2014). */
uint64_t rng_bits(struct rng *rng);

/* Uniform on [0, 1), a multiple of 2^-53. */
double rng_unit(struct rng *rng);

/* Uniform on 0..n-1, exactly; n at least 1. */
uint32_t rng_below(struct rng *rng, uint32_t n);

/* order[0..n-1] becomes a uniformly random permutation of 0..n-1. */
void rng_permutation(struct rng *rng, uint32_t *order, size_t n);

#endif
