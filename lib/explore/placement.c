#include "explore/placement.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "math/real.h"

/* ---- policies that are greedy but for a share of the rounds ---- */

/* The sum of the weights of positions from..until - 1, from 0. */
static double sum(const struct placement *p, size_t from, size_t until)
{
    double sum = 0;
    for (size_t k = from; k < until && k < p->places; k++)
        sum += p->weight[k];
    return sum;
}

void placement_start(struct placement *p)
{
    p->upper = sum(p, 0, p->T);
    p->lower = sum(p, p->T, p->places);
    p->all = sum(p, 0, p->places);
}

static double weight_at(const struct placement *p, size_t k)
{
    return k < p->places ? p->weight[k] : 0;
}

double placement_uniform(const struct placement *p, size_t g)
{
    (void)g;
    return p->all / (double)p->docs;
}

/* Of a document that g others precede and that is not drawn, X of the g being among T drawn from
 * m - 1 (hypergeometric): the mean weight of position T + g - X. chance[x] is P(X = x), after each
 * of T draws without replacement. */
static double shifted(const struct placement *p, size_t g)
{
    double mean = 0;
    for (size_t x = 0; x <= p->T; x++)
        p->chance[x] = x == 0;
    for (size_t i = 0; i < p->T; i++)
        for (size_t x = i + 2; x-- > 0;) {
            double left = (double)(p->docs - 1 - i);
            double more = x > 0 && g >= x - 1 ? p->chance[x - 1] * (double)(g - (x - 1)) / left : 0;
            double same = x <= i ? p->chance[x] * (1 - ((double)g - (double)x) / left) : 0;
            p->chance[x] = more + same;
        }
    for (size_t x = 0; x <= p->T && x <= g; x++)
        mean += p->chance[x] * weight_at(p, p->T + g - x);
    return mean;
}

double placement_top(const struct placement *p, size_t g)
{
    double m = (double)p->docs;
    if (p->T == 0 || p->T >= p->places || p->T >= p->docs)
        return placement_uniform(p, g);
    return p->upper / m + (1 - (double)p->T / m) * shifted(p, g);
}

double placement_swap(const struct placement *p, size_t g)
{
    double T = (double)p->T, below = (double)p->docs - T;
    if (p->T >= p->docs)
        return weight_at(p, g);
    return g < p->T ? (1 - 1 / T) * weight_at(p, g) + p->lower / (T * below)
                    : (1 - 1 / below) * weight_at(p, g) + p->upper / (T * below);
}

double placement_slot(const struct placement *p, size_t g)
{
    size_t last = p->T - 1;
    if (p->T >= p->docs || g < last)
        return weight_at(p, g);
    double before = (double)(g - last), after = (double)(p->docs - 1 - g);
    return (weight_at(p, last) + after * weight_at(p, g + 1) + before * weight_at(p, g)) /
           (double)(p->docs - last);
}

/* ---- plackett-luce ---- */

static const double earliest = -44; /* log of p t before which a clock has not rung: 1e-19    */
static const double latest = 3.75;  /* and after which it has: e^-42                          */
static const double apart = 50;
static const double no_chance = 1e-24;

/* Documents whose order is open at a time t. */
struct clocks {
    size_t lo, hi;         /* documents before lo have rung, those from hi on have not        */
    size_t places;         /* weights                                                         */
    const double *weight;
    double *rung, *silent; /* [m]: 1 - e^(-p t), e^(-p t)                                     */
    double *density;       /* [m]: p t e^(-p t) times the step                                */
    double *counts;        /* a row of `places` for each depth                                */
    double *W;
    struct long_work *work;
    bool stopped;
};

/* row, n coefficients of a polynomial, times silent + rung z, up to `most` coefficients, and
 * without a last one that is next to nothing. */
static size_t multiply(double *row, size_t n, size_t most, double silent, double rung)
{
    size_t kept = n < most && row[n - 1] * rung > no_chance ? n + 1 : n;
    if (kept > n)
        row[n] = row[n - 1] * rung;
    for (size_t k = n; k-- > 1;)
        row[k] = row[k] * silent + row[k - 1] * rung;
    row[0] *= silent;
    return kept;
}

/* counts + row: n chances that so many of the documents outside [lo, hi) have rung. Adds to W of
 * each document in [lo, hi). */
static void divide(struct clocks *c, size_t lo, size_t hi, size_t row, size_t n)
{
    double *counts = c->counts + row * c->places, total = 0;
    const double *weight = c->weight + c->lo;
    if (hi - lo == 1) {
        for (size_t k = 0; k < n; k++)
            total += counts[k] * weight[k];
        c->W[lo] += c->density[lo] * total;
        return;
    }
    size_t middle = lo + (hi - lo) / 2, most = c->places - c->lo;
    for (int half = 0; half < 2 && !c->stopped; half++) {
        size_t from = half ? lo : middle, until = half ? middle : hi, kept = n;
        double *next = counts + c->places;
        memcpy(next, counts, n * sizeof *next);
        for (size_t i = from; i < until; i++)
            kept = multiply(next, kept, most, c->silent[i], c->rung[i]);
        c->stopped = !long_work_goes_on(c->work, kept * (until - from));
        total = 0;
        for (size_t k = 0; k < kept; k++)
            total += next[k];
        if (total > no_chance)
            divide(c, half ? middle : lo, half ? hi : middle, row + 1, kept);
    }
}

/* 1 - e^-t, of a small t by the series; a t below 0.01 has all digits so. */
static double chance_to_ring(double t)
{
    if (t >= 0.01)
        return 1 - real_exp(-t);
    return t * (1 - t / 2 * (1 - t / 3 * (1 - t / 4 * (1 - t / 5 * (1 - t / 6)))));
}

/* Documents a..b - 1 come at positions a..b - 1; `relative` has their logits below the first. */
static void place_apart(struct clocks *c, const double *relative, size_t a, size_t b)
{
    size_t n = (b < c->places ? b : c->places) - a;
    double step = 0.25 / sqrt(1 + (double)n / 10);
    c->lo = c->hi = a;
    for (size_t s = 0; c->lo < b && c->lo < c->places && !c->stopped; s++) {
        double x = earliest + (double)s * step;
        while (c->hi < b && relative[c->hi] + x > earliest)
            c->hi++;
        while (c->lo < c->hi && relative[c->lo] + x > latest)
            c->lo++;
        if (c->lo < c->hi && c->lo < c->places) {
            /* What all documents whose order is open add at log time x. */
            for (size_t i = c->lo; i < c->hi; i++) {
                double t = real_exp(relative[i] + x);
                c->rung[i] = chance_to_ring(t);
                c->silent[i] = 1 - c->rung[i];
                c->density[i] = t * c->silent[i] * step;
            }
            c->counts[0] = 1;
            divide(c, c->lo, c->hi, 0, 1);
        }
        if (!long_work_goes_on(c->work, 1))
            c->stopped = true;
    }
}

int placement_luce(size_t m, const double *logit, size_t places, const double *weight, double *W,
                   struct buffer *room, struct long_work *work, struct fault *fault)
{
    size_t depth = 2;
    while ((size_t)1 << depth < m)
        depth++;
    double *numbers = buffer_for(room, 4 * m + (depth + 2) * places, sizeof *numbers, fault);
    if (!numbers) return -1;
    double *relative = numbers + 3 * m;
    struct clocks clocks = { .places = places, .weight = weight, .rung = numbers,
                             .silent = numbers + m, .density = numbers + 2 * m,
                             .counts = numbers + 4 * m, .W = W, .work = work };
    memset(W, 0, m * sizeof *W);
    for (size_t a = 0, b = 0; a < m && a < places; a = b) {
        for (b = a; b < m && (b == a || logit[b - 1] - logit[b] <= apart); b++)
            relative[b] = logit[b] - logit[a];
        place_apart(&clocks, relative, a, b);
    }
    return clocks.stopped ? fault_stopped(fault) : 0;
}
