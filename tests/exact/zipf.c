/* zipf: ranks are drawn by the law, whatever the exponent; which item has which rank is a uniform
 * permutation of the seed; draws of different rounds and seeds are independent. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "math/rng.h"

enum { SMALL = 3, SEEDS = 60000 };

static unsigned long wrong;

static void tell(int right, const char *what, double a, double b)
{
    if (!right && wrong++ < 20)
        fprintf(stderr, "zipf: %s (%g, %g)\n", what, a, b);
}

static void start(struct zipf *zipf, size_t n, double exponent, uint64_t seed)
{
    struct fault fault = { FAULT_NONE, "" };
    if (zipf_start(zipf, n, exponent, seed, &fault) < 0)
        exit(2);
}

/* Is a chi-square of so many degrees of freedom no further than 4.5 standard deviations up? By
 * Wilson and Hilferty's cube root, which is nearly normal. */
static int usual(double chi, double freedom)
{
    double v = 2 / (9 * freedom);
    return cbrt(chi / freedom) < 1 - v + 4.5 * sqrt(v);
}

/* The counts of items, by rank, against the law with the C library's pow. */
static void check_law(size_t n, double exponent, uint64_t seed, size_t draws)
{
    struct zipf zipf = { 0 };
    start(&zipf, n, exponent, seed);
    const uint32_t *items = zipf.items.at;
    size_t *count = calloc(n, sizeof *count);
    double sum = 0, chi = 0, rest = 0, rest_counted = 0, freedom = -1;
    for (size_t t = 1; t <= draws; t++)
        count[zipf_item(&zipf, t)]++;
    for (size_t r = 1; r <= n; r++)
        sum += pow((double)r, -exponent);
    for (size_t r = 1; r <= n; r++) { /* rare ranks are counted together, at least 20 of them */
        rest += pow((double)r, -exponent) / sum * (double)draws;
        rest_counted += (double)count[items[r - 1]];
        if (rest >= 20 || r == n) {
            chi += rest > 0 ? (rest_counted - rest) * (rest_counted - rest) / rest : 0;
            freedom += rest >= 20;
            rest = rest_counted = 0;
        }
    }
    if (freedom > 0)
        tell(usual(chi, freedom), "not the law: chi-square, degrees of freedom", chi, freedom);
    tell(count[items[0]] > 0, "rank 1 was never drawn", exponent, (double)seed);
    free(count);
    zipf_close(&zipf);
}

/* Over seeds, the orders of the items by rank, and the first draws given the ranks. */
static void check_seeds(void)
{
    size_t orders[SMALL * SMALL] = { 0 }, first[2][2] = { { 0 } };
    double chi = 0, expected = SEEDS / 6.0;
    struct zipf zipf = { 0 };
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        start(&zipf, SMALL, 1, seed);
        const uint32_t *items = zipf.items.at;
        orders[items[0] * SMALL + items[1]]++;
        first[zipf_item(&zipf, 1) == items[0]][zipf_item(&zipf, 2) == items[0]]++;
    }
    for (size_t i = 0; i < SMALL * SMALL; i++)
        if (i / SMALL != i % SMALL)
            chi += ((double)orders[i] - expected) * ((double)orders[i] - expected) / expected;
    tell(usual(chi, 5), "the ranks are no uniform permutation: chi-square", chi, 5);
    chi = 0;
    for (size_t a = 0; a < 2; a++)
        for (size_t b = 0; b < 2; b++) { /* rank 1 has probability 1 / (1 + 1/2 + 1/3) = 6/11 */
            double p = (a ? 6 : 5) * (b ? 6 : 5) / 121.0 * SEEDS;
            chi += ((double)first[a][b] - p) * ((double)first[a][b] - p) / p;
        }
    tell(usual(chi, 3), "rounds 1 and 2 are not drawn independently: chi-square", chi, 3);
    zipf_close(&zipf);
}

int main(void)
{
    static const double exponents[] = { 1e-9, 0.5, 1, 1.5, 2, 5, 400 };
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++) {
        check_law(1, exponents[i], i, 10);
        check_law(7, exponents[i], i, 100000);
        check_law(1000, exponents[i], i, 1000000);
    }
    check_law(100000, 1, 1, 1000000);
    check_seeds();
    return wrong != 0;
}
