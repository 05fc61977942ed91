/*
 * prior: weights that start at those of another model are, after any answers, those of the joint
 * posterior of all weights and effects of pairs, solved at once by elimination: for memory with and
 * without effects, and for ridge; plain features and deviations with means; and for a prior that
 * lacks the means or the constant. Memory's novelty begins with the same precisions.
 */
#include "rounds.h"

enum { SETS = 5, WIDE = 3, WEIGHTS = 2 * WIDE + 1, MOST = WEIGHTS + SETS * DOCS, TIMES = 30 };

struct setup {
    const char *learner, *from; /* the prior's learner */
    bool plain;
    double lambda, strength, rho; /* rho 0: no effects */
};

/* The posterior's precision and its product with the mean, in units of an answer's precision. */
struct batch {
    long double a[MOST][MOST], c[MOST];
};

static struct query sets[SETS];

/* The mean, by Gauss and Jordan. */
static void solve(struct batch *b, long double mean[MOST])
{
    for (size_t p = 0; p < MOST; p++)
        for (size_t i = 0; i < MOST; i++) {
            long double factor = i == p ? 0 : b->a[i][p] / b->a[p][p];
            for (size_t j = 0; factor != 0 && j < MOST; j++)
                b->a[i][j] -= factor * b->a[p][j];
            b->c[i] -= factor * b->c[p];
        }
    for (size_t p = 0; p < MOST; p++)
        mean[p] = b->c[p] / b->a[p][p];
}

/* Weight i begins at `at`, known as if from so many answers: one each, or a twelfth. */
static void add_prior(struct batch *b, const struct setup *setup, size_t i, double at,
                      double answers)
{
    b->a[i][i] = (setup->lambda + answers) / (1 + setup->rho);
    b->c[i] = b->a[i][i] * at;
}

/* An answer about document d of a set. */
static void add_answer(struct batch *b, const struct setup *setup, size_t s, size_t d)
{
    long double z[MOST] = { 0 };
    const struct query *query = &sets[s];
    for (size_t j = 0; j < WIDE; j++) {
        long double mean = 0;
        for (size_t i = 0; !setup->plain && i < query->docs; i++)
            mean += query->x[i][j] / (long double)query->docs;
        z[j] = query->x[d][j] - mean;
        z[WIDE + j] = mean;
    }
    z[WEIGHTS - 1] = setup->rho > 0;
    z[WEIGHTS + s * DOCS + d] = setup->rho > 0;
    for (size_t i = 0; i < MOST; i++) {
        b->c[i] += z[i] * query->label[d];
        for (size_t j = 0; j < MOST; j++)
            b->a[i][j] += z[i] * z[j];
    }
}

static void begin(const struct setup *setup, const char *learner, double strength,
                  struct state *state)
{
    struct settings settings;
    memset(&settings, 0, sizeof settings);
    set(&settings, SETTING_TRADEOFF, setup->lambda);
    if (setup->plain)
        set(&settings, SETTING_PLAIN, 1);
    if (strcmp(learner, "memory") == 0)
        set(&settings, SETTING_RHO, setup->rho);
    if (strength > 0) {
        set(&settings, SETTING_PRIOR, 1);
        set(&settings, SETTING_STRENGTH, strength);
    }
    start(state, learner, &settings);
}

/* New queries, in which no two documents are equal. */
static void draw_sets(struct rng *rng)
{
    for (size_t s = 0; s < SETS; s++) {
        draw_features(rng, &sets[s], 2 + rng_below(rng, DOCS - 2), WIDE, draw_unit);
        draw_labels(rng, &sets[s], 4);
        for (size_t d = 0; d < sets[s].docs; d++)
            sets[s].x[d][0] = (float)(d + 1) / 8;
    }
}

/* The prior's model, of one round of each query. */
static void make_prior(const struct setup *setup, struct state *from, struct model *model)
{
    static struct made made;
    struct fault fault = { FAULT_NONE, "" };
    if (strcmp(setup->from, "kl") == 0)
        start(from, "kl", NULL);
    else
        begin(setup, setup->from, 0, from);
    for (uint64_t t = 1; t <= SETS; t++)
        learn_round(from, make_round(&made, &sets[t % SETS], t, DENSE));
    must(learner_save(from, model, &fault), &fault);
}

static bool has_constant(const struct setup *setup)
{
    return strcmp(setup->learner, "memory") == 0 && setup->rho > 0;
}

/* What the batch begins with. */
static void begin_batch(struct batch *b, const struct setup *setup, const struct state *from)
{
    bool level = strcmp(setup->from, "kl") != 0 && !setup->plain;
    bool constant = strcmp(setup->from, "memory") == 0 && has_constant(setup);
    double m = setup->strength;
    memset(b, 0, sizeof *b);
    for (size_t j = 0; j < WIDE; j++) {
        add_prior(b, setup, j, from->w[j], m / 12);
        add_prior(b, setup, WIDE + j, level ? from->arrays.at[1][j] : 0, level ? m / 12 : 0);
    }
    add_prior(b, setup, WEIGHTS - 1, constant ? *from->arrays.at[2] : 0, constant ? m : 0);
    for (size_t i = WEIGHTS; i < MOST; i++)
        b->a[i][i] = setup->rho > 0 ? 1 / (long double)setup->rho : 1;
}

/* The sums that novelty is made of begin as precisions do: rows are the constant, if there is one,
 * and then a deviation and a mean, or plain features, in turn. */
static void check_counted(const struct batch *b, const struct setup *setup,
                          const struct state *state)
{
    size_t first = has_constant(setup), step = setup->plain ? 1 : 2;
    for (size_t r = 0; strcmp(setup->learner, "memory") == 0 && r < first + step * WIDE; r++) {
        size_t j = (r - first) / step, mean = (r - first) % step;
        size_t i = r < first ? WEIGHTS - 1 : mean * WIDE + j;
        long double want = b->a[i][i] * (1 + (long double)setup->rho);
        long double got = setup->lambda + state->arrays.at[5][r];
        hold(fabsl(got - want) <= 1e-9L * want, setup->learner, "counted", got, want);
    }
}

/* Both learn some answers of each round. */
static void learn_both(struct rng *rng, const struct setup *setup, struct batch *b,
                       struct state *state)
{
    static struct made made;
    for (uint64_t t = 1; t <= TIMES; t++) {
        uint32_t order[DOCS];
        size_t s = t % SETS, k = 1 + rng_below(rng, (uint32_t)sets[s].docs);
        rng_permutation(rng, order, (uint32_t)sets[s].docs);
        make_round(&made, &sets[s], t, DENSE);
        learn_round(state, mask_round(&made, order, k));
        for (size_t a = 0; a < k; a++)
            add_answer(b, setup, s, order[a]);
    }
}

static void compare(const struct setup *setup, const struct state *state, long double mean[MOST])
{
    for (size_t j = 0; j < WIDE; j++) {
        hold(fabsl(state->w[j] - mean[j]) <= 1e-9L, setup->learner, setup->from, state->w[j],
             mean[j]);
        long double got = state->arrays.at[1][j];
        hold(setup->plain || fabsl(got - mean[WIDE + j]) <= 1e-9L, setup->learner, "level", got,
             mean[WIDE + j]);
    }
    if (has_constant(setup))
        hold(fabsl(*state->arrays.at[2] - mean[WEIGHTS - 1]) <= 1e-9L, setup->learner, "constant",
             *state->arrays.at[2], mean[WEIGHTS - 1]);
}

static void check(struct rng *rng, const struct setup *setup)
{
    static struct batch b;
    static struct model model;
    struct state from, state;
    struct fault fault = { FAULT_NONE, "" };
    long double mean[MOST];
    draw_sets(rng);
    make_prior(setup, &from, &model);
    begin(setup, setup->learner, setup->strength, &state);
    reach(&state, WIDE);
    must(state.learner->begin(state.own, &state, &model, &fault), &fault);
    begin_batch(&b, setup, &from);
    check_counted(&b, setup, &state);
    learn_both(rng, setup, &b, &state);
    solve(&b, mean);
    compare(setup, &state, mean);
    learner_close(&from);
    learner_close(&state);
}

int main(void)
{
    static const struct setup setups[] = {
        { "memory", "memory", false, 10, 1000, 3 }, { "memory", "memory", true, 2, 30, 0.5 },
        { "memory", "memory", false, 1, 100, 0 },   { "memory", "ridge", false, 10, 1000, 3 },
        { "memory", "kl", false, 10, 50, 2 },       { "ridge", "ridge", false, 1, 1000, 0 },
        { "ridge", "memory", true, 3, 10, 0 },      { "linucb", "ridge", false, 1, 200, 0 },
        { "thompson", "kl", true, 1, 7, 0 },
    };
    struct rng rng = rng_at(4, RNG_SAMPLE, 1);
    for (size_t i = 0; i < COUNT(setups); i++)
        for (int times = 0; times < 5; times++)
            check(&rng, &setups[i]);
    return wrong ? 1 : 0;
}
