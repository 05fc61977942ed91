#include "math/rng.h"

#include <math.h>

#include "math/matrix.h"
#include "math/real.h"

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

/* ---- the normal distribution ---- */

double normal_draw(struct normals *normals)
{
    double a, b, square;
    normals->stored = !normals->stored;
    if (!normals->stored)
        return normals->second;
    do {
        a = 2 * rng_unit(&normals->rng) - 1;
        b = 2 * rng_unit(&normals->rng) - 1;
        square = a * a + b * b;
    } while (square >= 1 || square == 0);
    double scale = sqrt(-2 * real_log(square) / square);
    normals->second = b * scale;
    return a * scale;
}

/* 1/2 + density(x) (x + x^3/3 + x^5/(3 5) + x^7/(3 5 7) + ...). All terms have one sign, so that no
 * digits cancel. */
double normal_below(double x)
{
    static const double density = 0.3989422804014327; /* at 0: 1 / sqrt(2 pi) */
    if (fabs(x) > 9)
        return x > 0;
    double term = x, sum = 0;
    for (double k = 3; fabs(term) > 1e-17 * fabs(sum); k += 2) {
        sum += term;
        term *= x * x / k;
    }
    return 0.5 + density * real_exp(-x * x / 2) * sum;
}

double normal_quantile(double p)
{
    double low = -9, high = 9, middle = 0;
    while (middle != low && middle != high) {
        if (normal_below(middle) < p)
            low = middle;
        else
            high = middle;
        middle = low + (high - low) / 2;
    }
    return middle;
}

/* ---- directions ---- */

void sphere_draw(struct normals *normals, size_t n, double *u)
{
    double norm = 0;
    while (norm == 0 && n > 0) {
        for (size_t j = 0; j < n; j++)
            u[j] = normal_draw(normals);
        norm = matrix_norm(u, n);
    }
    for (size_t j = 0; j < n; j++)
        u[j] /= norm;
}

/* ---- Zipf's law ---- */

int zipf_start(struct zipf *zipf, size_t n, double exponent, uint64_t seed, struct fault *fault)
{
    double *sums = buffer_for(&zipf->sums, n, sizeof *sums, fault);
    uint32_t *items = buffer_for(&zipf->items, n, sizeof *items, fault);
    if (!sums || !items) return -1;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sums[i] = sum += real_exp2(-exponent * real_log2((double)(i + 1)));
    struct rng rng = rng_at(seed, RNG_ZIPF_RANKS, 0);
    rng_permutation(&rng, items, n);
    zipf->n = n;
    zipf->seed = seed;
    return 0;
}

/* The draw u is below 1, so u times the last sum is below the last sum, in doubles too. */
size_t zipf_item(const struct zipf *zipf, uint64_t t)
{
    const double *sums = zipf->sums.at;
    const uint32_t *items = zipf->items.at;
    struct rng rng = rng_at(zipf->seed, RNG_ZIPF, t);
    double u = rng_unit(&rng) * sums[zipf->n - 1];
    size_t from = 0, until = zipf->n - 1;
    while (from < until) {
        size_t middle = from + (until - from) / 2;
        if (u < sums[middle])
            until = middle;
        else
            from = middle + 1;
    }
    return items[from];
}

void zipf_close(struct zipf *zipf)
{
    buffer_free(&zipf->sums);
    buffer_free(&zipf->items);
}
