#include "math/rng.h"

static const uint64_t golden = 0x9e3779b97f4a7c15u; /* 2^64 / the golden ratio, odd */

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

struct rng rng_at(uint64_t seed, enum rng_purpose purpose, uint64_t t)
{
    uint64_t key = mix(seed + golden);
    key = mix((key ^ (uint64_t)purpose) + golden);
    key = mix((key ^ t) + golden);
    return (struct rng){ key };
}

uint64_t rng_bits(struct rng *rng)
{
    return mix(rng->state += golden);
}

uint64_t rng_bits_at(const struct rng *rng, uint64_t i)
{
    return mix(rng->state + (i + 1) * golden);
}

double rng_unit(struct rng *rng)
{
    return (double)(rng_bits(rng) >> 11) * 0x1p-53;
}

uint32_t rng_below(struct rng *rng, uint32_t n)
{
    uint32_t uneven = -n % n; /* 2^32 mod n: low products below it would bias the result */
    for (;;) {
        uint64_t product = (rng_bits(rng) >> 32) * n;
        if ((uint32_t)product >= uneven)
            return (uint32_t)(product >> 32);
    }
}

void rng_permutation(struct rng *rng, uint32_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    for (size_t i = n; i > 1; i--) {
        uint32_t j = rng_below(rng, (uint32_t)i), last = order[i - 1];
        order[i - 1] = order[j];
        order[j] = last;
    }
}
