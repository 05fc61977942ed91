#include "explore/propensity.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/order.h"
#include "math/real.h"

/* After DRAW_SLOT: gamma / (m - slot + 1); and is the document at place a the last greedy one? */
static double slot_each(const struct exposure *exposure)
{
    return exposure->gamma / ((double)(exposure->docs - exposure->slot) + 1);
}

static bool is_last(const struct exposure *exposure, size_t a)
{
    return exposure->doc[a] == exposure->last;
}

double propensity_one(const struct exposure *exposure, size_t a)
{
    double k = (double)exposure->places, m = (double)exposure->docs, gamma = exposure->gamma;
    if (exposure->draw == DRAW_LOGGED)
        return exposure->logged[a];
    if (exposure->places == exposure->docs)
        return 1;
    if (exposure->draw == DRAW_LUCE)
        return exposure->luce.one[a];
    if (exposure->draw == DRAW_SWAP)
        return exposure->greedy[a] ? 1 - gamma / k : gamma / (m - k);
    if (exposure->draw == DRAW_SLOT)
        return !exposure->greedy[a] ? slot_each(exposure)
               : is_last(exposure, a) ? 1 - slot_each(exposure) * (m - k) : 1;
    return (exposure->greedy[a] ? 1 - gamma : 0) + gamma * k / m;
}

double propensity_two(const struct exposure *exposure, size_t a, size_t b)
{
    double k = (double)exposure->places, m = (double)exposure->docs, gamma = exposure->gamma;
    if (exposure->places == exposure->docs)
        return 1;
    if (exposure->draw == DRAW_LUCE)
        return exposure->luce.two;
    bool both = exposure->greedy[a] && exposure->greedy[b],
         none = !exposure->greedy[a] && !exposure->greedy[b];
    bool last = is_last(exposure, a) || is_last(exposure, b);
    if (exposure->draw == DRAW_SLOT)
        return both   ? last ? 1 - slot_each(exposure) * (m - k) : 1
               : last ? 0
               : none ? 0 : slot_each(exposure);
    if (exposure->draw == DRAW_SWAP)
        return both ? 1 - 2 * gamma / k : none ? 0 : (1 - 1 / k) * gamma / (m - k);
    return (both ? 1 - gamma : 0) + gamma * (k * (k - 1)) / (m * (m - 1));
}

/* The sums of exp(logit) over all documents, and over all except the largest. The second is not the
 * first minus the largest: where the largest has nearly all, that would lose every digit. */
struct weights {
    size_t largest; /* its document                                              */
    double others;  /* sum over the others, in units of exp(second)              */
    double second;  /* the largest logit of the others                           */
    double total;   /* sum of weight[m], of which the largest is 1               */
};

/* The probability that i comes first and j second. If i is not the largest, at least half of the
 * total is left without it, and the subtraction is accurate. */
static double in_turn(const struct weights *w, const double *logit, const double *weight,
                      size_t i, size_t j)
{
    double then = i == w->largest ? real_exp(logit[j] - w->second) / w->others
                                  : weight[j] / (w->total - weight[i]);
    return weight[i] / w->total * then;
}

void propensity_luce(size_t m, const double *logit, size_t places, const uint32_t *doc,
                     double *weight, struct luce *luce)
{
    struct weights w = { .second = logit[m - 1], .total = softmax_weights(m, logit, 1, weight) };
    for (size_t i = 1; i < m; i++)
        if (logit[i] > logit[w.largest])
            w.largest = i;
    if (w.largest == m - 1)
        w.second = logit[0];
    for (size_t i = 0; i < m; i++)
        if (i != w.largest && logit[i] > w.second)
            w.second = logit[i];
    for (size_t i = 0; i < m; i++)
        if (i != w.largest)
            w.others += real_exp(logit[i] - w.second);

    for (size_t a = 0; a < places; a++) {
        luce->one[a] = weight[doc[a]] / w.total;
        for (size_t i = 0; places > 1 && i < m; i++)
            if (i != doc[a])
                luce->one[a] += in_turn(&w, logit, weight, i, doc[a]);
    }
    luce->two = places < 2 ? 0 : in_turn(&w, logit, weight, doc[0], doc[1]) +
                                 in_turn(&w, logit, weight, doc[1], doc[0]);
}

void propensity_luce_rests(size_t m, const double *logit, const uint32_t *order,
                       struct luce_rest *rest)
{
    rest[m] = (struct luce_rest){ -INFINITY, 0 };
    for (size_t a = m; a-- > 0;) {
        struct luce_rest below = rest[a + 1];
        double here = logit[order[a]];
        if (here > below.most)
            rest[a] = (struct luce_rest){ here, below.sum * real_exp(below.most - here) + 1 };
        else
            rest[a] = (struct luce_rest){ below.most, below.sum + real_exp(here - below.most) };
    }
}

void propensity_luce_powers(struct luce_powers *powers, double *power, size_t n)
{
    *powers = (struct luce_powers){ NAN, power, n };
}

static void change_most(struct luce_powers *powers, double most)
{
    if (powers->most == most)
        return;
    powers->most = most;
    for (size_t c = 0; c < powers->n; c++)
        powers->power[c] = NAN;
}

static inline double power_at(struct luce_powers *powers, const double *logit,
                              const uint32_t *order, size_t c)
{
    if (isnan(powers->power[c]))
        powers->power[c] = real_exp(logit[order[c]] - powers->most);
    return powers->power[c];
}

/* At places a + 1 to b the candidates are the documents below, and one more: in R the one at b, in
 * R* the one at a. P(R) / P(R*) is the product of the ratios of these sums. */
double propensity_luce_swapped(const double *logit, const uint32_t *order,
                           const struct luce_rest *rest, struct luce_powers *powers, size_t a,
                           size_t b)
{
    double upper = logit[order[a]], lower = logit[order[b]];
    double most = upper > lower ? upper : lower;
    if (rest[b + 1].most > most)
        most = rest[b + 1].most;
    change_most(powers, most);
    upper = power_at(powers, logit, order, a);
    lower = power_at(powers, logit, order, b);
    double others = rest[b + 1].sum * real_exp(rest[b + 1].most - most);
    double ratio = (others + upper) / (others + lower);
    for (size_t c = b - 1; c > a && others <= DBL_MAX; c--) {
        others += power_at(powers, logit, order, c);
        if (others <= DBL_MAX) /* otherwise the ratio is 1 for this place and all above */
            ratio *= (others + upper) / (others + lower);
    }
    return 1 / (1 + ratio);
}

/* order[m]: after its first `top` documents the others, in greedy order. */
static void place_others(size_t m, size_t top, const uint32_t *greedy, uint32_t *order,
                         unsigned char *mark)
{
    memset(mark, 0, m);
    for (size_t a = 0; a < top; a++)
        mark[order[a]] = 1;
    for (size_t a = top, i = 0; i < m; i++)
        if (!mark[greedy[i]])
            order[a++] = greedy[i];
}

void propensity_draw_top(size_t m, uint64_t top, const uint32_t *greedy, struct rng *rng,
                     uint32_t *order, unsigned char *mark)
{
    rng_permutation(rng, order, m);
    if (top < m)
        place_others(m, (size_t)top, greedy, order, mark);
}

/* At first q of a document is the sum of exp(score) over it and all below, over its own. Those on
 * top for which c exp(score) would be above 1 have 1; the others share what is left of n. */
void propensity_subset(size_t m, const double *score, const uint32_t *order, size_t n, double *q)
{
    size_t ones = 0;
    q[order[m - 1]] = 1;
    for (size_t a = m - 1; a-- > 0;)
        q[order[a]] = 1 + q[order[a + 1]] * real_exp(score[order[a + 1]] - score[order[a]]);
    while ((double)(n - ones) > q[order[ones]])
        ones++;
    double first = (double)(n - ones) / q[order[ones]];
    for (size_t a = 0; a < m; a++) {
        double chance = a < ones ? 1 : first * real_exp(score[order[a]] - score[order[ones]]);
        q[order[a]] = chance > DBL_MIN ? chance : DBL_MIN;
    }
}

/* The line from 0 to n is parted into pieces of lengths q: those with a point u, u + 1, ... The
 * last pieces are in the set where rounding has left too few before them. */
void propensity_draw_subset(size_t m, size_t n, const double *q, const uint32_t *greedy,
                            struct rng *rng, uint32_t *order, unsigned char *mark)
{
    double point = rng_unit(rng), sum = 0;
    size_t in = 0;
    for (size_t i = 0; i < m && in < n; i++) {
        sum += q[i];
        if (sum > point || m - i == n - in) {
            order[in++] = (uint32_t)i;
            point++;
        }
    }
    for (size_t a = n; a > 1; a--) {
        uint32_t b = rng_below(rng, (uint32_t)a), last = order[a - 1];
        order[a - 1] = order[b];
        order[b] = last;
    }
    place_others(m, n, greedy, order, mark);
}

void propensity_draw_swap(size_t m, size_t top, struct rng *rng, uint32_t *order)
{
    uint32_t *upper = order + rng_below(rng, (uint32_t)top);
    uint32_t *lower = order + top + rng_below(rng, (uint32_t)(m - top)), document = *lower;
    *lower = *upper;
    *upper = document;
}

void propensity_draw_slot(size_t m, size_t slot, struct rng *rng, uint32_t *order)
{
    uint32_t *place = order + slot - 1, down = rng_below(rng, (uint32_t)(m - slot + 1));
    uint32_t document = place[down];
    memmove(place + 1, place, down * sizeof *place);
    *place = document;
}

/* A finite draw from the Gumbel distribution. */
static double noise(struct rng *rng)
{
    double u;
    do
        u = rng_unit(rng);
    while (u == 0);
    return -real_log(-real_log(u));
}

void propensity_draw_luce(size_t m, const double *logit, struct rng *rng, uint32_t *order,
                          double *keys, uint32_t *scratch)
{
    double *sum = keys, *rest = keys + m, *sorted = keys + 2 * m;
    uint32_t *by_rest = scratch + m;
    for (size_t i = 0; i < m; i++) { /* sum + rest is exactly logit + noise (Knuth) */
        double g = noise(rng), s = logit[i] + g, of_g = s - logit[i];
        sum[i] = s;
        rest[i] = (logit[i] - (s - of_g)) + (g - of_g);
    }
    order_by_score(m, rest, by_rest, scratch);
    for (size_t a = 0; a < m; a++)
        sorted[a] = sum[by_rest[a]];
    order_by_score(m, sorted, order, scratch); /* if two sums are equal, the rest decides */
    for (size_t a = 0; a < m; a++)
        order[a] = by_rest[order[a]];
}

double propensity_fall(uint64_t t, double power)
{
    double fallen = real_exp(-power * real_log((double)t));
    return fallen < 1 ? fallen : 1;
}
