/* ties: every order of equal scores is equally likely, independent of the line order and of what
 * else is in the ranking; scores that differ keep their places. With base ties are in its order. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "math/order.h"
#include "math/rng.h"

enum { SMALL = 4, ORDERS = 24, DRAWS = 240000, LARGE = 300000 };

static unsigned long wrong;

static void tell(int right, const char *what, double a, double b)
{
    if (!right && wrong++ < 20)
        fprintf(stderr, "ties: %s (%g, %g)\n", what, a, b);
}

/* The number of a permutation of 0..SMALL-1, 0 to ORDERS - 1 (Lehmer). */
static size_t number(const uint32_t *order)
{
    size_t n = 0;
    for (size_t a = 0; a < SMALL; a++) {
        size_t smaller = 0;
        for (size_t b = a + 1; b < SMALL; b++)
            smaller += order[b] < order[a];
        n = n * (SMALL - a) + smaller;
    }
    return n;
}

/* Chi-square of 23 degrees of freedom: above 60 with probability 4e-5. */
static void check_uniform(uint64_t seed)
{
    static const double score[SMALL] = { 0, -0.0, 0, 0 };
    const struct ties ties = { .seed = seed };
    size_t count[ORDERS] = { 0 };
    double chi = 0, expected = (double)DRAWS / ORDERS;
    for (uint64_t t = 1; t <= DRAWS; t++) {
        uint32_t order[SMALL], scratch[SMALL];
        ties_rank(&ties, RNG_TIES, t, SMALL, score, NULL, order, scratch);
        count[number(order)]++;
    }
    for (size_t i = 0; i < ORDERS; i++)
        chi += ((double)count[i] - expected) * ((double)count[i] - expected) / expected;
    tell(chi < 60, "the orders are not equally likely: chi-square", chi, (double)seed);
}

/* Whatever their number, equal scores go by the draws of their documents. */
static void check_sorted(size_t m)
{
    static double score[LARGE];
    static uint32_t order[LARGE], scratch[LARGE];
    const struct ties ties = { .seed = 5 };
    const struct rng rng = rng_at(5, RNG_TIES, m);
    ties_rank(&ties, RNG_TIES, m, m, score, NULL, order, scratch);
    for (size_t a = 0; a + 1 < m; a++)
        tell(rng_bits_at(&rng, order[a]) < rng_bits_at(&rng, order[a + 1]), "not by draw",
             (double)m, (double)a);
}

/* The ties of a ranking, whatever order they come in, and whatever is above or below. */
static void check_law(struct rng *rng, size_t m)
{
    double score[64] = { 0 };
    uint32_t order[64], again[64], scratch[64];
    for (size_t i = 0; i < m; i++)
        score[i] = rng_below(rng, 4);
    order_by_score(m, score, order, scratch);
    memcpy(again, order, sizeof order);
    for (size_t a = 0; a + 1 < m; a++) /* neighbours that tie change places */
        if (rng_below(rng, 2) && score[again[a]] == score[again[a + 1]]) {
            uint32_t one = again[a];
            again[a] = again[a + 1];
            again[a + 1] = one;
        }
    const struct rng draws = rng_at(7, RNG_TIES, m);
    ties_break(m, score, &draws, order);
    ties_break(m, score, &draws, again);
    tell(order_is_permutation(m, order, scratch), "not a permutation", (double)m, 0);
    tell(memcmp(order, again, m * sizeof *order) == 0, "depends on the order that came", (double)m,
         0);
    for (size_t a = 0; a + 1 < m; a++) {
        tell(score[order[a]] >= score[order[a + 1]], "a lower score stands above", (double)m,
             (double)a);
        tell(score[order[a]] > score[order[a + 1]] ||
                 rng_bits_at(&draws, order[a]) < rng_bits_at(&draws, order[a + 1]),
             "ties do not go by their draws", (double)m, (double)a);
    }
}

/* Where base is given, each document stands before all with a lower score, and with the same score
 * and a later place in base: whatever the seed, and in line order too. */
static void check_base(struct rng *rng, size_t m, uint32_t values)
{
    double score[64];
    uint32_t base[64], place[64], order[64], scratch[64];
    const struct ties ties = { .seed = m, .in_line_order = values % 2 };
    for (uint32_t i = 0; i < m; i++) {
        uint32_t to = rng_below(rng, i + 1);
        score[i] = i % 2 ? rng_below(rng, values) : -(double)rng_below(rng, values); /* 0 and -0 */
        base[i] = base[to];
        base[to] = i;
    }
    for (uint32_t p = 0; p < m; p++)
        place[base[p]] = p;
    ties_rank(&ties, RNG_TIES, 1, m, score, base, order, scratch);
    tell(order_is_permutation(m, order, scratch), "not a permutation", (double)m, values);
    for (size_t a = 0; a + 1 < m; a++) {
        uint32_t i = order[a], j = order[a + 1];
        tell(score[i] > score[j] || (score[i] == score[j] && place[i] < place[j]),
             "a tie is not in the order of base", (double)m, (double)a);
    }
}

/* The draw at i is that of the i-th call. */
static void check_draws(void)
{
    const struct rng start = rng_at(3, RNG_TIES, 5);
    struct rng rng = start;
    for (uint64_t i = 0; i < 100; i++)
        tell(rng_bits_at(&start, i) == rng_bits(&rng), "another draw", (double)i, 0);
}

/* Many equal scores: the mean place of each half is near the middle. */
static void check_large(void)
{
    static double score[LARGE];
    static uint32_t order[LARGE], scratch[LARGE];
    double sum = 0;
    const struct ties ties = { .seed = 1 };
    ties_rank(&ties, RNG_TIES, 1, LARGE, score, NULL, order, scratch);
    tell(order_is_permutation(LARGE, order, scratch), "not a permutation", LARGE, 0);
    for (size_t a = 0; a < LARGE / 2; a++)
        sum += order[a];
    double mean = sum / (LARGE / 2), middle = (LARGE - 1) / 2.0;
    tell(mean > middle - 2000 && mean < middle + 2000, "line order shows", mean, middle); /* 9 sd */
}

/* The ranking that there is without draws: ties by document number. And two purposes, two draws. */
static void check_streams(void)
{
    static double score[LARGE];
    static uint32_t order[LARGE], other[LARGE], scratch[LARGE];
    struct ties ties = { .seed = 1, .in_line_order = true };
    ties_rank(&ties, RNG_TIES, 1, LARGE, score, NULL, order, scratch);
    for (uint32_t a = 0; a < LARGE; a++)
        tell(order[a] == a, "not in line order", a, order[a]);
    ties.in_line_order = false;
    ties_rank(&ties, RNG_TIES, 1, LARGE, score, NULL, order, scratch);
    ties_rank(&ties, RNG_INDEX_TIES, 1, LARGE, score, NULL, other, scratch);
    size_t same = 0; /* Poisson of mean 1 */
    for (size_t a = 0; a < LARGE; a++)
        same += order[a] == other[a];
    tell(same < 12, "indices tie as scores do", (double)same, 0);
}

int main(void)
{
    struct rng rng = { 11 };
    check_draws();
    for (size_t m = 2; m <= 4096; m = m < 32 ? m + 1 : 2 * m + (m == 1024))
        check_sorted(m);
    check_streams();
    for (uint64_t seed = 1; seed <= 3; seed++)
        check_uniform(seed);
    for (size_t round = 0; round < 3000; round++)
        check_law(&rng, 1 + rng_below(&rng, 64));
    for (size_t round = 0; round < 3000; round++)
        check_base(&rng, 1 + rng_below(&rng, 64), 1 + rng_below(&rng, 9));
    check_large();
    return wrong != 0;
}
