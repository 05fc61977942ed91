/*
 * Learning from clicks. pdgd: how likely an order is with two documents changed, against products
 * of a wider type; and its mean step over all m! orders and all clicks, against a formula that
 * takes pairs of orders together, whose signs are those of the preferences. dbgd: directions, the
 * law of team draft, and who wins.
 */
#include <math.h>

#include "explore/interleave.h"
#include "explore/propensity.h"
#include "math/matrix.h"
#include "rounds.h"

enum { MOST = 4, ORDERS = 24, DRAWS = 40000 };

/* All orders of m documents; how many. */
static size_t permute(size_t m, size_t at, uint32_t order[DOCS], size_t n,
                      uint32_t all[ORDERS][DOCS])
{
    if (at == m)
        memcpy(all[n++], order, sizeof *all);
    for (size_t i = at; i < m; i++) {
        uint32_t o = order[at];
        order[at] = order[i];
        order[i] = o;
        n = permute(m, at + 1, order, n, all);
        order[i] = order[at];
        order[at] = o;
    }
    return n;
}

static size_t all_orders(size_t m, uint32_t all[ORDERS][DOCS])
{
    uint32_t order[DOCS];
    for (size_t i = 0; i < DOCS; i++)
        order[i] = (uint32_t)i;
    return permute(m, 0, order, 0, all);
}

/* ---- pdgd: an order, and two documents changed ---- */

static const double LOGIT[][MOST] = {
    { 0, 0, 0, 0 },           { 0.5, -0.25, 1.25, 0.125 },   { -5, 6, 1.5, 5 },
    { 3, -5, 0, 7 },          { -340, 340, -342, -341 },     { 0, -4000, 0, -4000 },
    { 9000, -9000, 0, 1e-9 }, { -4000, 0, -4000.5, -4001 },
};

enum { MILD = 4 }; /* so many of them leave every order a chance */

/* log P(order) */
static long double log_likely(size_t m, const double *logit, const uint32_t *order)
{
    long double sum = 0;
    for (size_t a = 0; a < m; a++) {
        long double left = 0, most = logit[order[a]];
        for (size_t c = a; c < m; c++)
            most = fmaxl(most, logit[order[c]]);
        for (size_t c = a; c < m; c++)
            left += expl(logit[order[c]] - most);
        sum += logit[order[a]] - most - logl(left);
    }
    return sum;
}

static void change(const uint32_t *order, size_t a, size_t b, uint32_t changed[DOCS])
{
    memcpy(changed, order, DOCS * sizeof *order);
    changed[a] = order[b];
    changed[b] = order[a];
}

static void check_swapped(size_t m, const double *logit)
{
    uint32_t all[ORDERS][DOCS], changed[DOCS];
    struct luce_rest rest[MOST + 1];
    struct luce_powers powers;
    double power[DOCS];
    size_t n = all_orders(m, all);
    for (size_t r = 0; r < n; r++) {
        propensity_luce_rests(m, logit, all[r], rest);
        propensity_luce_powers(&powers, power, m);
        for (size_t a = 0; a < m; a++)
            for (size_t b = a + 1; b < m; b++) {
                change(all[r], a, b, changed);
                long double want = 1 / (1 + expl(log_likely(m, logit, all[r]) -
                                                 log_likely(m, logit, changed)));
                double got = propensity_luce_swapped(logit, all[r], rest, &powers, a, b);
                hold(fabsl(got - want) <= 1e-12L * want + 1e-300L, "pdgd",
                     "the likelihood of an order with two changed", got, want);
            }
    }
}

/* ---- pdgd: its mean step ---- */

/* A list, and a person who looks at place a with probability look[a], independently, and clicks on
 * document i there with probability like[i]. */
struct world {
    size_t m, k;
    const double *logit;
    double s[MOST], like[MOST], look[MOST];
    uint32_t all[ORDERS][DOCS];
    size_t orders;
};

static long double likely_clicks(const struct world *at, const uint32_t *order, unsigned clicks)
{
    long double p = 1;
    for (size_t a = 0; a < at->k; a++) {
        long double one = (long double)at->look[a] * at->like[order[a]];
        p *= clicks >> a & 1 ? one : 1 - one;
    }
    return p;
}

static void add_step(const struct world *at, const uint32_t *order, unsigned clicks,
                     long double weight, long double *mean)
{
    static struct made made;
    struct query query = { .docs = at->m, .dim = 0 };
    struct settings settings = { .set = { false } };
    struct state state;
    set(&settings, SETTING_ETA, 1);
    start(&state, "pdgd", &settings);
    memcpy(reach(&state, at->m), at->s, at->m * sizeof *at->s);
    make_round(&made, &query, 1, DENSE);
    click_round(&made, &state, order, at->k, 0);
    memcpy(made.logit, at->logit, at->m * sizeof *at->logit);
    for (size_t a = 0; a < at->k; a++)
        made.seen[a] = (float)(clicks >> a & 1);
    learn_round(&state, &made.round);
    for (size_t i = 0; i < at->m; i++)
        mean[i] += weight * ((long double)state.w[i] - at->s[i]);
    learner_close(&state);
}

/* Is document i preferred to j, by clicks on that order? Every place above one that was clicked on
 * has been looked at, and the first below the last of them. */
static bool preferred(const struct world *at, const uint32_t *order, unsigned clicks, uint32_t i,
                      uint32_t j)
{
    bool i_clicked = false, j_passed = false;
    for (size_t a = 0; a < at->k; a++) {
        i_clicked |= order[a] == i && clicks >> a & 1;
        bool below = clicks >> (a + 1) != 0, just_above = a > 0 && clicks >> (a - 1) == 1;
        j_passed |= order[a] == j && !(clicks >> a & 1) && (below || just_above);
    }
    return i_clicked && j_passed;
}

/* alpha_ij: what is gained in the mean by i over j. Orders with the two changed are taken
 * together, with the weight P P* / (P + P*) for both. */
static long double gain(const struct world *at, uint32_t i, uint32_t j)
{
    long double sum = 0, e = expl(-fabsl((long double)at->s[i] - at->s[j]));
    for (size_t r = 0; r < at->orders; r++) {
        const uint32_t *order = at->all[r];
        uint32_t changed[DOCS];
        size_t a = 0, b = 0;
        while (order[a] != i)
            a++;
        while (order[b] != j)
            b++;
        change(order, a, b, changed);
        long double p = expl(log_likely(at->m, at->logit, order));
        long double q = expl(log_likely(at->m, at->logit, changed));
        for (unsigned clicks = 0; clicks < 1U << at->k; clicks++)
            sum += p * q / (p + q) * likely_clicks(at, order, clicks) *
                   (preferred(at, order, clicks, i, j) - preferred(at, order, clicks, j, i));
    }
    return sum * e / ((1 + e) * (1 + e));
}

static void check_mean(const struct world *at)
{
    long double mean[MOST] = { 0 }, want[MOST] = { 0 };
    for (size_t r = 0; r < at->orders; r++)
        for (unsigned clicks = 0; clicks < 1U << at->k; clicks++)
            add_step(at, at->all[r], clicks,
                     expl(log_likely(at->m, at->logit, at->all[r])) *
                         likely_clicks(at, at->all[r], clicks),
                     mean);
    for (uint32_t i = 0; i < at->m; i++)
        for (uint32_t j = i + 1; j < at->m; j++) {
            long double g = gain(at, i, j);
            want[i] += g;
            want[j] -= g;
            bool right = at->like[i] == at->like[j] ? fabsl(g) < 1e-17L
                         : at->like[i] > at->like[j] ? g > 0
                                                     : g < 0;
            hold(right, "pdgd", "a preference's sign", g, at->like[i] - at->like[j]);
        }
    for (size_t i = 0; i < at->m; i++)
        hold(fabsl(mean[i] - want[i]) < 1e-14L, "pdgd", "its mean step", mean[i], want[i]);
}

static void check_means(void)
{
    static const double like[][MOST] = {
        { 0.5, 0.5, 0.5, 0.5 }, { 0.9, 0.1, 0.4, 0.4 }, { 0.2, 0.7, 1, 0.05 }
    };
    for (size_t c = 0; c < MILD * COUNT(like); c++)
        for (size_t m = 2; m <= MOST; m++)
            for (size_t k = 2; k <= m; k++) {
                struct world at = { .m = m, .k = k, .logit = LOGIT[c % MILD],
                                    .look = { 1, 0.8, 0.5, 0.3 } };
                at.orders = all_orders(m, at.all);
                for (size_t i = 0; i < m; i++) {
                    at.s[i] = LOGIT[(c + 1) % MILD][i] / 4;
                    at.like[i] = like[c / MILD][i];
                }
                check_mean(&at);
            }
}

/* ---- dbgd ---- */

/* Each is of length 1; their mean is 0, and so is that of u_i u_j, but 1/n of u_i^2. */
static void check_directions(void)
{
    enum { N = 3 };
    double u[N], mean[N] = { 0 }, square[N][N] = { { 0 } }, far = 5 / sqrt(DRAWS);
    for (uint64_t t = 1; t <= DRAWS; t++) {
        interleave_direction(7, t, N, u);
        hold(fabs(matrix_norm(u, N) - 1) < 1e-15, "dbgd", "a length", matrix_norm(u, N), 1);
        for (size_t i = 0; i < N; i++) {
            mean[i] += u[i] / DRAWS;
            for (size_t j = 0; j < N; j++)
                square[i][j] += u[i] * u[j] / DRAWS;
        }
    }
    for (size_t i = 0; i < N; i++) {
        hold(fabs(mean[i]) < far, "dbgd", "a mean", mean[i], 0);
        for (size_t j = 0; j < N; j++)
            hold(fabs(square[i][j] - (i == j) / (double)N) < far, "dbgd", "a mean square",
                 square[i][j], (i == j) / (double)N);
    }
}

/* The list that the coins make, place by place: bit c of `coins` is 1 if the rival goes first in
 * the c-th two places. */
static void draft(size_t m, const uint32_t *mine, const uint32_t *rivals, unsigned coins,
                  uint32_t *order, unsigned *teams)
{
    *teams = 0;
    for (size_t a = 0; a < m; a++) {
        unsigned rival = (coins >> a / 2 & 1) ^ (a % 2);
        const uint32_t *from = rival ? rivals : mine;
        bool there = true;
        for (size_t i = 0; there; i++) {
            order[a] = from[i];
            there = false;
            for (size_t b = 0; b < a; b++)
                there |= order[b] == order[a];
        }
        *teams |= rival << a;
    }
}

/* Every draw is what some coins make, and all coins are as likely. */
static void check_draft(size_t m, const uint32_t *mine, const uint32_t *rivals)
{
    enum { COINS = 4 };
    unsigned n = 1U << (m + 1) / 2, count[COINS] = { 0 };
    for (uint64_t t = 1; t <= DRAWS; t++) {
        uint32_t order[DOCS], want[DOCS];
        unsigned char team[DOCS], taken[DOCS];
        unsigned teams = 0, wanted = 0, coins = 0;
        struct rng rng = rng_at(3, RNG_EXPLORE, t);
        interleave_draft(m, mine, rivals, &rng, order, team, taken);
        for (size_t a = 0; a < m; a++) {
            teams |= (unsigned)team[a] << a;
            coins |= a % 2 == 0 ? (unsigned)team[a] << a / 2 : 0;
        }
        draft(m, mine, rivals, coins, want, &wanted);
        hold(teams == wanted && memcmp(order, want, m * sizeof *order) == 0, "dbgd",
             "a draft's coins", teams, wanted);
        count[coins]++;
    }
    for (unsigned c = 0; c < n; c++)
        hold(fabs(count[c] - DRAWS / (double)n) < 5 * sqrt(DRAWS / (double)n), "dbgd",
             "how often coins fall so", count[c], DRAWS / (double)n);
}

static void check_drafts(void)
{
    uint32_t all[ORDERS][DOCS];
    for (size_t m = 1; m <= MOST; m++) {
        size_t n = all_orders(m, all);
        for (size_t r = 0; r < n; r += 5)
            check_draft(m, all[n / 2], all[r]);
    }
}

/* All teams and clicks: the weights follow the direction if the rival has more, and stay if not. */
static void check_winners(void)
{
    static struct made made;
    struct query query = { .docs = MOST, .dim = 2 };
    const uint32_t order[DOCS] = { 2, 0, 3, 1 };
    double u[2];
    interleave_direction(5, 9, 2, u);
    for (unsigned world = 0; world < 1U << 2 * MOST; world++) {
        struct settings settings = { .set = { false } };
        struct state state;
        int lead = 0;
        set(&settings, SETTING_SEED, 5);
        set(&settings, SETTING_ETA, 0.25);
        start(&state, "dbgd", &settings);
        make_round(&made, &query, 9, DENSE);
        click_round(&made, &state, order, MOST, 0);
        for (size_t a = 0; a < MOST; a++) {
            made.team[a] = world >> a & 1;
            made.seen[a] = (float)(world >> (MOST + a) & 1);
            lead += (made.team[a] ? 1 : -1) * (int)made.seen[a];
        }
        learn_round(&state, &made.round);
        for (size_t j = 0; j < 2; j++)
            hold(state.w[j] == (lead > 0 ? 0.25 * u[j] : 0), "dbgd", "a weight", state.w[j],
                 lead > 0 ? 0.25 * u[j] : 0);
        learner_close(&state);
    }
}

int main(void)
{
    for (size_t c = 0; c < COUNT(LOGIT); c++)
        for (size_t m = 2; m <= MOST; m++)
            check_swapped(m, LOGIT[c]);
    check_means();
    check_directions();
    check_drafts();
    check_winners();
    if (wrong)
        fprintf(stderr, "click_learners: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
