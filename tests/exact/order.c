/*
 * Orders against slow and plain ways to the same, and random numbers against numbers worked out
 * by another program; then what their uniformity promises, counted with wide bounds.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/order.h"
#include "math/rng.h"

enum { MOST = 1100, DRAWS = 600000 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

static unsigned long wrong;

static void tell(int right, const char *what, uint64_t a, uint64_t b)
{
    if (!right && wrong++ < 20)
        fprintf(stderr, "order: %s (%llu, %llu)\n", what, (unsigned long long)a,
                (unsigned long long)b);
}

/* ---- orders ---- */

/* values: how many different ones, and so how many ties; 0: no two alike. */
static void fill(struct rng *rng, double *score, size_t m, uint32_t values)
{
    for (size_t i = 0; i < m; i++) {
        score[i] = values ? (double)rng_below(rng, values) - values / 2 : rng_unit(rng) - 0.5;
        if (score[i] == 0 && i % 2)
            score[i] = -0.0; /* as good as 0 */
    }
}

/* Highest first, each after all that are no worse and came before it. */
static void plain_sort(size_t m, const double *score, uint32_t *order)
{
    for (size_t i = 0; i < m; i++) {
        size_t place = 0;
        for (size_t j = 0; j < m; j++)
            place += score[j] > score[i] || (j < i && score[j] >= score[i]);
        order[place] = (uint32_t)i;
    }
}

static uint64_t plain_inversions(size_t m, const double *value)
{
    uint64_t inversions = 0;
    for (size_t i = 0; i < m; i++)
        for (size_t j = i + 1; j < m; j++)
            inversions += value[i] < value[j];
    return inversions;
}

static void check_order(size_t m, double *score)
{
    static uint32_t order[MOST], want[MOST], scratch[MOST];
    plain_sort(m, score, want);
    order_by_score(m, score, order, scratch);
    tell(memcmp(order, want, m * sizeof *order) == 0, "order_by_score", m, 0);
    tell(order_is_permutation(m, order, scratch), "a permutation is refused", m, 0);
    uint64_t inversions = plain_inversions(m, score);
    tell(order_inversions(m, score, order, scratch) == inversions, "order_inversions", m,
         inversions);
    tell(memcmp(order, want, m * sizeof *order) == 0, "the order of order_inversions", m, 0);
}

static unsigned long check_orders(struct rng *rng)
{
    static const size_t large[] = { 100, 127, 128, 129, 255, 256, 257, 511, 513, 1023, 1025, MOST };
    static const uint32_t values[] = { 0, 1, 2, 3, 10, 1000 };
    static double score[MOST];
    unsigned long orders = 0;
    for (size_t m = 0; m < 70 + COUNT(large); m++) {
        size_t n = m < 70 ? m : large[m - 70];
        for (size_t v = 0; v < COUNT(values); v++, orders++) {
            fill(rng, score, n, values[v]);
            check_order(n, score);
        }
        for (size_t i = 0; i < n; i++)
            score[i] = (double)i;
        check_order(n, score); /* all of them the wrong way round */
    }
    return orders;
}

static void check_permutations(void)
{
    static const uint32_t bad[][4] = {
        { 0, 1, 2, 4 }, { 0, 0, 1, 2 }, { 1, 2, 3, 3 }, { 0, 1, 2, UINT32_MAX }, { 4, 3, 2, 1 },
    };
    const uint32_t good[] = { 2, 0, 3, 1 }, one = 0, other = 1;
    uint32_t scratch[4];
    tell(order_is_permutation(4, good, scratch), "2 0 3 1 is a permutation", 0, 0);
    tell(order_is_permutation(1, &one, scratch), "0 is a permutation", 0, 0);
    tell(order_is_permutation(0, NULL, scratch), "nothing is a permutation", 0, 0);
    tell(!order_is_permutation(1, &other, scratch), "1 alone is none", 0, 0);
    for (size_t i = 0; i < COUNT(bad); i++)
        tell(!order_is_permutation(4, bad[i], scratch), "no permutation, but taken for one", i, 0);
}

/* ---- random numbers ---- */

/* SplitMix64's outputs from the state that the mixed (seed, purpose, t) give: a seed means these
 * numbers for ever. */
static void check_pinned(void)
{
    static const struct {
        uint64_t seed;
        enum rng_purpose purpose;
        uint64_t t, bits[5];
    } pinned[] = {
        { 1, RNG_EXPLORE, 1, { 0x3ea0a76395d91588, 0x61d650fcd6b475e4, 0x1e11a95f1d70f004,
                               0xde47566612f79ca5, 0xa8b802720deecdcc } },
        { 1, RNG_REPLAY, 1, { 0x100a84829efc04af, 0x3061d546cd41a6b9 } },
        { 1, RNG_EXPLORE, 2, { 0x14ceedcce45d513f, 0x9d44faebd01e6574 } },
        { 2, RNG_EXPLORE, 1, { 0x370d64721cf8f9c7, 0x9912e16e0e9fcb1c } },
        { (uint64_t)1 << 53, RNG_SAMPLE, ((uint64_t)1 << 53) - 1,
                             { 0x87b6f6ae33b8a827, 0x630c4ea33507074c } },
    };
    for (size_t i = 0; i < COUNT(pinned); i++) {
        struct rng rng = rng_at(pinned[i].seed, pinned[i].purpose, pinned[i].t);
        for (size_t n = 0; n < 5 && pinned[i].bits[n]; n++) {
            uint64_t got = rng_bits(&rng);
            tell(got == pinned[i].bits[n], "not the pinned bits", i, got);
        }
    }
}

/* What is made of the bits is as much a promise. */
static void check_pinned_uses(void)
{
    static const uint32_t below[] = { 2, 3, 1, 8, 6, 1, 8, 4, 1, 8, 1, 6, 5, 7, 3, 1 };
    static const uint32_t permutation[] = { 9, 4, 1, 5, 7, 8, 6, 0, 3, 2 };
    static const double unit[] = { 0x1.f5053b1caec88p-3, 0x1.875943f35ad1cp-2, 0x1.e11a95f1d70f0p-4,
                                   0x1.bc8eaccc25ef3p-1, 0x1.517004e41bdd9p-1 };
    uint32_t order[10];
    struct rng rng = rng_at(1, RNG_EXPLORE, 1);
    for (size_t i = 0; i < COUNT(below); i++)
        tell(rng_below(&rng, 10) == below[i], "not the pinned rng_below", i, below[i]);
    rng = rng_at(1, RNG_EXPLORE, 1);
    rng_permutation(&rng, order, 10);
    tell(memcmp(order, permutation, sizeof order) == 0, "not the pinned permutation", 0, 0);
    rng = rng_at(1, RNG_EXPLORE, 1);
    for (size_t i = 0; i < COUNT(unit); i++)
        tell(rng_unit(&rng) == unit[i], "not the pinned rng_unit", i, 0);
}

/* Counts of `cells` equally likely things: each within six standard deviations of its mean, which
 * honest draws leave once in five hundred million. */
static void check_counts(const char *what, const unsigned long *count, size_t cells)
{
    double p = 1 / (double)cells, mean = DRAWS * p, deviation = sqrt(DRAWS * p * (1 - p));
    for (size_t i = 0; i < cells; i++)
        tell(fabs((double)count[i] - mean) <= 6 * deviation, what, i, count[i]);
}

static void check_below(void)
{
    for (uint32_t n = 1; n <= 20; n++) {
        unsigned long count[20] = { 0 };
        struct rng rng = rng_at(7, RNG_SAMPLE, n);
        for (size_t i = 0; i < DRAWS; i++) {
            uint32_t drawn = rng_below(&rng, n);
            tell(drawn < n, "rng_below is not below", n, drawn);
            count[drawn < n ? drawn : 0]++;
        }
        check_counts("rng_below: so many", count, n);
    }
}

/* Where n is 3/4 of 2^32, a draw that refuses nothing makes the multiples of 3 twice as likely. */
static void check_large_below(void)
{
    const uint32_t n = 0xc0000000u;
    unsigned long count[3] = { 0 };
    struct rng rng = rng_at(7, RNG_SAMPLE, 100);
    for (size_t i = 0; i < DRAWS; i++)
        count[rng_below(&rng, n) % 3]++;
    check_counts("rng_below(0xc0000000), rest by 3: so many", count, 3);
}

static void check_unit(void)
{
    unsigned long count[16] = { 0 };
    struct rng rng = rng_at(7, RNG_SAMPLE, 101);
    for (size_t i = 0; i < DRAWS; i++) {
        double u = rng_unit(&rng);
        tell(u >= 0 && u < 1 && ldexp(u, 53) == floor(ldexp(u, 53)), "rng_unit", i, 0);
        count[(size_t)(u * 16) % 16]++;
    }
    check_counts("rng_unit: so many in a sixteenth", count, 16);
}

/* A new round each, as explore draws them. */
static void check_permutation(void)
{
    static const char *const names[] = { "012", "021", "102", "120", "201", "210" };
    unsigned long count[6] = { 0 };
    for (uint64_t t = 1; t <= DRAWS; t++) {
        struct rng rng = rng_at(1, RNG_EXPLORE, t);
        uint32_t order[3] = { 0 };
        char name[4] = "";
        rng_permutation(&rng, order, 3);
        for (size_t i = 0; i < 3; i++)
            name[i] = (char)('0' + order[i] % 10);
        size_t o = 0;
        while (o < 6 && strcmp(names[o], name) != 0)
            o++;
        tell(o < 6, "rng_permutation: no permutation", t, 0);
        count[o % 6]++;
    }
    check_counts("rng_permutation of 3: so many", count, 6);
}

int main(void)
{
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    unsigned long orders = check_orders(&rng);
    check_permutations();
    check_pinned();
    check_pinned_uses();
    check_below();
    check_large_below();
    check_unit();
    check_permutation();
    printf("order: %lu orders, %d draws of each kind\n", orders, DRAWS);
    if (wrong)
        fprintf(stderr, "order: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
