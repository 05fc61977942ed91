#include "math/zipf.h"

#include "math/real.h"
#include "math/rng.h"

int zipf_start(struct zipf *zipf, size_t n, double exponent, uint64_t seed, struct fault *fault)
{
    double *sums = buffer_for(&zipf->sums, n, sizeof *sums, fault);
    uint32_t *items = buffer_for(&zipf->items, n, sizeof *items, fault);
    if (!sums || !items)
        return -1;
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
