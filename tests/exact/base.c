/*
 * A start at a search engine's order: after each round the weights are those of the joint posterior
 * of weights and effects of pairs, solved by elimination from all answers so far, where the
 * deviation of the base's feature begins at r with the precision lambda + 10, and r is the spread
 * of a plain list of all first answers; for memory, and for ridge and its kin with r = 1, also
 * plain, also where features come late. The feature itself is made here by its formula. With more
 * than 512 features a sketch, exact up to the 31st answer, begins so with r = 1 and with the mean
 * square of the first round's deviations in the place of 1/12.
 */
#include "rounds.h"

#include "learn/regressions.h"

enum { SETS = 5, RAW = 4, WIDTH = RAW + 1, WEIGHTS = 2 * WIDTH + 1, MOST = WEIGHTS + SETS * DOCS,
       TIMES = 25, APART = 500 /* between the features of a sketch */ };

struct setup {
    const char *learner;
    bool plain, wide;
    double lambda, strength, rho; /* strength 0: by default; rho 0: no effects */
};

/* All that was answered so far. */
struct batch {
    long double a[MOST][MOST], c[MOST];
    double first[SETS * DOCS]; /* first answers */
    size_t firsts;
    bool answered[SETS][DOCS];
    long double square; /* mean, of the deviations of the first round; 0: none came */
};

static struct query sets[SETS];
static uint32_t bases[SETS][DOCS];

static void draw_sets(struct rng *rng, bool late)
{
    for (size_t s = 0; s < SETS; s++) {
        draw_features(rng, &sets[s], 2 + rng_below(rng, DOCS - 2),
                      late && s == 1 ? RAW - 1 : RAW, draw_unit);
        draw_labels(rng, &sets[s], 4);
        rng_permutation(rng, bases[s], sets[s].docs);
        for (size_t d = 0; d < sets[s].docs; d++)
            sets[s].x[d][0] = (float)(d + 1) / 8;
    }
}

/* The features of a document: of its place in the base, and its own. */
static void list_features(size_t s, size_t d, long double x[WIDTH])
{
    size_t p = 0, m = sets[s].docs;
    while (bases[s][p] != d)
        p++;
    long double D = 1 / log2l(2 + (long double)p), last = 1 / log2l(1 + (long double)m);
    x[0] = (float)((D - last) / (1 - last));
    for (size_t j = 0; j < RAW; j++)
        x[j + 1] = j < sets[s].dim ? sets[s].x[d][j] : 0;
}

/* ---- the batch ---- */

static void add_answer(struct batch *b, const struct setup *setup, size_t s, size_t d)
{
    long double z[MOST] = { 0 }, x[DOCS][WIDTH];
    for (size_t i = 0; i < sets[s].docs; i++)
        list_features(s, i, x[i]);
    for (size_t j = 0; j < WIDTH; j++) {
        long double mean = 0;
        for (size_t i = 0; !setup->plain && i < sets[s].docs; i++)
            mean += x[i][j] / (long double)sets[s].docs;
        z[j] = x[d][j] - mean;
        z[WIDTH + j] = mean;
    }
    z[WEIGHTS - 1] = setup->rho > 0;
    z[WEIGHTS + s * DOCS + d] = setup->rho > 0;
    for (size_t i = 0; i < MOST; i++) {
        b->c[i] += z[i] * sets[s].label[d];
        for (size_t j = 0; j < MOST; j++)
            b->a[i][j] += z[i] * z[j];
    }
    if (!b->answered[s][d])
        b->first[b->firsts++] = sets[s].label[d];
    b->answered[s][d] = true;
}

static long double spread(const struct batch *b)
{
    long double mean = 0, sum = 1;
    for (size_t i = 0; i < b->firsts; i++)
        mean += b->first[i] / (long double)b->firsts;
    for (size_t i = 0; i < b->firsts; i++)
        sum += (b->first[i] - mean) * (b->first[i] - mean);
    return sqrtl(sum / (1 + (long double)b->firsts));
}

/* The mean square of a set's raw deviations, of the features that it has. */
static long double mean_square(size_t s)
{
    long double sum = 0, m = sets[s].docs;
    size_t n = 0;
    for (size_t j = 0; j < sets[s].dim; j++) {
        long double mean = 0, squares = 0;
        for (size_t i = 0; i < sets[s].docs; i++) {
            mean += sets[s].x[i][j] / m;
            squares += (long double)sets[s].x[i][j] * sets[s].x[i][j];
        }
        sum += squares > 0 ? squares / m - mean * mean : 0;
        n += squares > 0;
    }
    return sum / (long double)n;
}

/* The mean of the posterior, by Gauss and Jordan. */
static void solve(const struct batch *answers, const struct setup *setup, long double mean[MOST])
{
    static struct batch b;
    bool follows = strcmp(setup->learner, "memory") == 0 && !setup->wide;
    long double square = setup->wide ? answers->square : 1 / 12.L;
    long double kappa = (setup->strength > 0 ? setup->strength : 5000) * square;
    b = *answers;
    for (size_t i = 0; i < MOST; i++) {
        long double precision = setup->lambda + (i == 0 ? 10 : i < WIDTH ? kappa : 0);
        if (i >= WEIGHTS)
            b.a[i][i] += setup->rho > 0 ? 1 / (long double)setup->rho : 1;
        else
            b.a[i][i] += precision / (1 + setup->rho);
        if (i == 0)
            b.c[i] += precision / (1 + setup->rho) * (follows ? spread(answers) : 1);
    }
    for (size_t p = 0; p < MOST; p++)
        for (size_t i = 0; i < MOST; i++) {
            long double factor = i == p ? 0 : b.a[i][p] / b.a[p][p];
            for (size_t j = 0; factor != 0 && j < MOST; j++)
                b.a[i][j] -= factor * b.a[p][j];
            b.c[i] -= factor * b.c[p];
        }
    for (size_t p = 0; p < MOST; p++)
        mean[p] = b.c[p] / b.a[p][p];
}

/* ---- the learner ---- */

static void begin(const struct setup *setup, struct state *state)
{
    struct settings settings;
    struct fault fault = { FAULT_NONE, "" };
    memset(&settings, 0, sizeof settings);
    set(&settings, SETTING_TRADEOFF, setup->lambda);
    if (setup->plain)
        set(&settings, SETTING_PLAIN, 1);
    if (strcmp(setup->learner, "memory") == 0)
        set(&settings, SETTING_RHO, setup->rho);
    if (setup->strength > 0)
        set(&settings, SETTING_STRENGTH, setup->strength);
    start(state, setup->learner, &settings);
    must(learner_make(state, "base", &fault), &fault);
}

/* The same round with features that are APART, and reach beyond those of P. */
static void make_wide(struct made *made, size_t s, uint64_t t)
{
    struct fault fault = { FAULT_NONE, "" };
    struct query narrow = sets[s];
    make_round(made, &narrow, t, SPARSE);
    for (uint32_t e = 0; e < made->ptr[narrow.docs]; e++)
        made->idx[e] = APART * (made->idx[e] + 1);
    made->round.dim = APART * RAW + 1;
    must(record_set_number(&made->record, 0, "dim", made->round.dim, &fault), &fault);
}

static void learn(struct state *state, bool wide, size_t s, uint64_t t, const uint32_t *order,
                  size_t k)
{
    static struct made made;
    struct fault fault = { FAULT_NONE, "" };
    if (wide)
        make_wide(&made, s, t);
    else
        make_round(&made, &sets[s], t, t % 2 ? DENSE : SPARSE);
    uint32_t *base = round_new(&made.round, ROUND_BASE, &fault);
    must(base ? 0 : -1, &fault);
    memcpy(base, bases[s], sets[s].docs * sizeof *base);
    learn_round(state, mask_round(&made, order, k));
    round_close(&made.round);
}

static void compare(const struct setup *setup, const struct state *state, long double mean[MOST])
{
    for (size_t j = 0; j < WIDTH; j++) {
        size_t at = setup->wide && j > 0 ? APART * j + 1 : j;
        if (at >= state->dim)
            continue;
        hold(fabsl(state->w[at] - mean[j]) <= 1e-8L, setup->learner, "weight", state->w[at],
             mean[j]);
        long double got = state->arrays.at[1][at];
        hold(setup->plain || fabsl(got - mean[WIDTH + j]) <= 1e-8L, setup->learner, "level", got,
             mean[WIDTH + j]);
    }
    if (strcmp(setup->learner, "memory") == 0 && setup->rho > 0)
        hold(fabsl(*state->arrays.at[2] - mean[WEIGHTS - 1]) <= 1e-8L, setup->learner, "constant",
             *state->arrays.at[2], mean[WEIGHTS - 1]);
}

static void check(struct rng *rng, const struct setup *setup)
{
    static struct batch b;
    struct state state;
    long double mean[MOST];
    memset(&b, 0, sizeof b);
    draw_sets(rng, true);
    begin(setup, &state);
    for (uint64_t t = 1; t <= TIMES; t++) {
        uint32_t order[DOCS];
        size_t s = t % SETS, k = setup->wide ? 1 : 1 + rng_below(rng, (uint32_t)sets[s].docs);
        rng_permutation(rng, order, (uint32_t)sets[s].docs);
        b.square = b.square > 0 ? b.square : mean_square(s);
        learn(&state, setup->wide, s, t, order, k);
        for (size_t a = 0; a < k; a++)
            add_answer(&b, setup, s, order[a]);
        solve(&b, setup, mean);
        compare(setup, &state, mean);
    }
    learner_close(&state);
}

int main(void)
{
    static const struct setup setups[] = {
        { "memory", false, false, 10, 0, 3 }, { "memory", true, false, 2, 30, 0.5 },
        { "memory", false, false, 1, 7, 0 },  { "memory", false, true, 10, 0, 3 },
        { "memory", true, true, 1, 20, 2 },   { "ridge", false, false, 1, 0, 0 },
        { "ridge", true, false, 3, 100, 0 },  { "linucb", false, false, 1, 60, 0 },
        { "thompson", false, false, 2, 0, 0 },
    };
    struct rng rng = rng_at(5, RNG_SAMPLE, 1);
    for (size_t i = 0; i < COUNT(setups); i++)
        for (int times = 0; times < 3; times++)
            check(&rng, &setups[i]);
    return wrong ? 1 : 0;
}
