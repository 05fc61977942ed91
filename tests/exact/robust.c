/*
 * Doubly robust estimates: whatever the regression says, the mean of the estimate over all m!
 * orders that explore might have drawn is the gradient of every label, had from differences of the
 * loss; where the regression is right the estimate is the gradient whatever was drawn; and it
 * learns what the normal equations say, each document seen counting as much as it was likely not
 * to be.
 */
#include <math.h>

#include "equations.h"
#include "loss/dcg.h"
#include "loss/surrogate.h"
#include "math/real.h"

enum { MOST = 4, CASES = 60, WIDE = 5 };

static const double EPSILON = 0.5;

struct kind {
    const char *name, *surrogate;
    double (*worth)(double);
};

static double itself(double R)
{
    return R;
}

static const struct kind KINDS[] = {
    { "squared-dr", "squared", itself },
    { "kl-dr", "kl", real_exp },
    { "smoothdcg-dr", "smoothdcg", dcg_gain },
};

/* A case: a query, weights and a regression, drawn. */
struct world {
    struct query query;
    double w[WIDE], baseline[WIDE], level[WIDE], top, gamma;
    uint32_t greedy[DOCS];
    size_t k;
};

static void make_world(struct rng *rng, struct world *world)
{
    struct query *query = &world->query;
    draw_features(rng, query, 2 + rng_below(rng, MOST - 1), WIDE, draw_unit);
    draw_labels(rng, query, 3);
    for (size_t j = 0; j < WIDE; j++) {
        world->w[j] = rng_unit(rng) - 0.5;
        world->baseline[j] = 4 * rng_unit(rng) - 2;
        world->level[j] = 4 * rng_unit(rng) - 2;
    }
    world->top = 3 * rng_unit(rng);
    world->gamma = 0.05 + 0.9 * rng_unit(rng);
    rng_permutation(rng, world->greedy, (uint32_t)query->docs);
    world->k = 1 + rng_below(rng, (uint32_t)query->docs);
}

static void begin(struct state *state, const struct kind *kind, const struct world *world)
{
    struct settings settings = { .set = { false } };
    set(&settings, SETTING_ETA, 1);
    set(&settings, SETTING_TRADEOFF, 1);
    if (kind->worth == dcg_gain)
        set(&settings, SETTING_EPSILON, EPSILON);
    start(state, kind->name, &settings);
    memcpy(reach(state, WIDE), world->w, sizeof world->w);
    memcpy(state->arrays.at[1], world->level, sizeof world->level);
    memcpy(state->arrays.at[2], world->baseline, sizeof world->baseline);
    *state->arrays.at[3] = world->top;
}

/* The step of one round, shown in that order: eta is 1, so it is minus the estimate. */
static void take_step(const struct kind *kind, const struct world *world, const uint32_t *order,
                      double z[WIDE])
{
    static struct made made;
    struct state state;
    begin(&state, kind, world);
    make_round(&made, &world->query, 1, DENSE);
    mask_round(&made, order, world->k);
    made.round.explored = true;
    made.round.gamma = world->gamma;
    uint32_t greedy[DOCS];
    memcpy(greedy, world->greedy, sizeof greedy);
    made.round.greedy = greedy;
    learn_round(&state, &made.round);
    for (size_t j = 0; j < WIDE; j++)
        z[j] = world->w[j] - state.w[j];
    learner_close(&state);
}

static double loss_at(const struct kind *kind, const struct world *world, const double *w)
{
    const struct query *query = &world->query;
    const struct surrogate_options options = { EPSILON, SIZE_MAX, NULL };
    double s[DOCS] = { 0 }, R[DOCS], scratch[SURROGATE_SCRATCH * DOCS];
    for (size_t i = 0; i < query->docs; i++) {
        R[i] = query->label[i];
        for (size_t j = 0; j < WIDE; j++)
            s[i] += query->x[i][j] * w[j];
    }
    return surrogate_find(kind->surrogate)->loss(query->docs, s, R, &options, scratch);
}

static double slope(const struct kind *kind, const struct world *world, size_t j)
{
    double up[WIDE], down[WIDE], h = 1e-5;
    memcpy(up, world->w, sizeof up);
    memcpy(down, world->w, sizeof down);
    up[j] += h;
    down[j] -= h;
    return (loss_at(kind, world, up) - loss_at(kind, world, down)) / (2 * h);
}

static bool next_order(uint32_t *order, size_t m)
{
    size_t i = m - 1, j = m - 1;
    while (i > 0 && order[i - 1] >= order[i])
        i--;
    if (i == 0)
        return false;
    while (order[j] <= order[i - 1])
        j--;
    uint32_t t = order[i - 1];
    order[i - 1] = order[j];
    order[j] = t;
    for (j = m - 1; i < j; i++, j--) {
        t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    return true;
}

static void check_unbiased(const struct kind *kind, const struct world *world)
{
    size_t m = world->query.docs;
    uint32_t order[DOCS];
    long double mean[WIDE] = { 0 }, orders = 1, size = 1;
    double z[WIDE];
    for (uint32_t i = 0; i < m; i++) {
        order[i] = i;
        orders *= i + 1;
    }
    do {
        long double p = world->gamma / orders;
        if (memcmp(order, world->greedy, m * sizeof *order) == 0)
            p += 1 - world->gamma;
        take_step(kind, world, order, z);
        for (size_t j = 0; j < WIDE; j++) {
            mean[j] += p * z[j];
            size = fmaxl(size, fabsl(p * z[j]));
        }
    } while (next_order(order, m));
    for (size_t j = 0; j < WIDE; j++) {
        double want = slope(kind, world, j);
        hold(fabsl(mean[j] - want) <= 1e-7L * size, kind->name, "mean", mean[j], want);
    }
}

/* A regression that is right: x_0 is the relevance itself; or one that is right once it is held to
 * what relevance can be, 0 to the highest seen. */
static void check_right(struct rng *rng, const struct kind *kind, struct world *world, bool held)
{
    struct query *query = &world->query;
    size_t m = query->docs;
    double z[WIDE];
    for (size_t i = 0; i < m; i++) {
        query->label[i] = (float)rng_below(rng, 2);
        query->x[i][0] = held ? 2 * query->label[i] - 1 : query->label[i];
    }
    for (size_t j = 0; j < WIDE; j++)
        world->baseline[j] = world->level[j] = 0;
    world->baseline[0] = world->level[0] = held ? 3 : 1;
    world->top = 1;
    uint32_t order[DOCS];
    rng_permutation(rng, order, (uint32_t)m);
    take_step(kind, world, order, z);
    for (size_t j = 0; j < WIDE; j++)
        hold(fabs(z[j] - slope(kind, world, j)) <= 1e-7 / world->gamma, kind->name, "right", z[j],
             slope(kind, world, j));
}

/* The steps of a run, each round with another gamma; and the equations of what was seen. */
static void learn_some(struct rng *rng, struct state *state, struct equations *q, double *top)
{
    static struct made made;
    for (uint64_t t = 1; t <= 10; t++) {
        struct world world;
        uint32_t order[DOCS];
        make_world(rng, &world);
        size_t m = world.query.docs, k = world.k;
        rng_permutation(rng, order, (uint32_t)m);
        make_round(&made, &world.query, t, DENSE);
        mask_round(&made, order, k);
        made.round.explored = true;
        made.round.gamma = world.gamma;
        made.round.greedy = world.greedy;
        learn_round(state, &made.round);
        for (size_t a = 0; a < k; a++) {
            bool greedy = false;
            for (size_t b = 0; b < k; b++)
                greedy |= world.greedy[b] == order[a];
            long double g = world.gamma, likely = (greedy ? 1 - g : 0) + g * k / m;
            *top = fmax(*top, world.query.label[order[a]]);
            add_document(q, &world.query, order[a], k < m ? 1 - likely : 0);
        }
    }
}

static void check_baseline(struct rng *rng, const struct kind *kind)
{
    static const double zero[WIDE];
    struct world world;
    struct state state;
    struct equations q;
    long double inverse[ROWS][ROWS], v[ROWS];
    double top = 0;
    make_world(rng, &world);
    begin(&state, kind, &world);
    begin_equations(&q, 1, false);
    state.settings.value[SETTING_ETA] = 1e-6; /* or kl runs off */
    memcpy(state.arrays.at[1], zero, sizeof zero);
    memcpy(state.arrays.at[2], zero, sizeof zero);
    *state.arrays.at[3] = 0;
    learn_some(rng, &state, &q, &top);
    solve(&q, inverse, v);
    for (size_t j = 0; j < WIDE; j++) {
        hold(fabsl(state.arrays.at[2][j] - v[j]) <= 1e-12L, kind->name, "baseline",
             state.arrays.at[2][j], v[j]);
        hold(fabsl(state.arrays.at[1][j] - v[NARROW + j]) <= 1e-12L, kind->name, "level",
             state.arrays.at[1][j], v[NARROW + j]);
    }
    hold(*state.arrays.at[3] == top, kind->name, "top", *state.arrays.at[3], top);
    learner_close(&state);
}

int main(void)
{
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    for (size_t n = 0; n < sizeof KINDS / sizeof *KINDS; n++) {
        for (size_t c = 0; c < CASES; c++) {
            struct world world;
            make_world(&rng, &world);
            check_unbiased(&KINDS[n], &world);
            check_right(&rng, &KINDS[n], &world, false);
            check_right(&rng, &KINDS[n], &world, true);
        }
        check_baseline(&rng, &KINDS[n]);
    }
    if (wrong)
        fprintf(stderr, "robust: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
