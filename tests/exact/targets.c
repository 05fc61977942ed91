/*
 * Policies judged by logs of other policies, exactly: over all orders that the log's policy might
 * have shown and, of clicks, all clicks, what ips and dr make of a round has the mean that the
 * measure has over all orders of the target, each found by doing what the policy does; and b has
 * the mean c. No sampling.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/policies.h"
#include "math/rng.h"
#include "measure/offline.h"

enum { DOCS = 5, DIM = 2, ORDERS = 120 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

#include "laws.h"

/* What -x says, and as a law; `ranks` is explore's policy that has the greedy order. */
static const struct {
    const char *text;
    int kind;
    size_t T;
    double gamma, temperature;
    size_t ranks;
} TARGETS[] = {
    { "greedy", UNIFORM, 0, 0, 1, POLICY_UNIFORM },
    { "uniform", UNIFORM, 0, 0, 1, POLICY_UNIFORM },
    { "uniform,gamma=0.3", UNIFORM, 0, 0.3, 1, POLICY_UNIFORM },
    { "uniform,gamma=1", UNIFORM, 0, 1, 1, POLICY_UNIFORM },
    { "top,gamma=0.4", TOP, 1, 0.4, 1, POLICY_UNIFORM },
    { "top,places=3,gamma=0.7", TOP, 3, 0.7, 1, POLICY_UNIFORM },
    { "swap,gamma=0.25,places=2", SWAP, 2, 0.25, 1, POLICY_UNIFORM },
    { "swap,gamma=1", SWAP, 1, 1, 1, POLICY_UNIFORM },
    { "slot", SLOT, 10, 0.3, 1, POLICY_UNIFORM },
    { "slot,places=3", SLOT, 3, 0.3, 1, POLICY_UNIFORM },
    { "slot,places=1,gamma=1", SLOT, 1, 1, 1, POLICY_UNIFORM },
    { "worth", TOP, 1, 0, 1, POLICY_WORTH },
    { "worth,places=2,gamma=0.6", TOP, 2, 0.6, 1, POLICY_WORTH },
    { "index,places=2", TOP, 2, 0, 1, POLICY_INDEX },
    { "index,places=2,gamma=0.5", TOP, 2, 0.5, 1, POLICY_INDEX },
    { "plackett-luce", LUCE, 0, 0, 1, POLICY_UNIFORM },
    { "plackett-luce,temperature=0.1", LUCE, 0, 0, 0.1, POLICY_UNIFORM },
};

static const char *const MEASURES[] = { "dcg", "dcg@2", "prec@1", "prec@3", "p@9", "sumloss" };

struct world {
    struct record record;
    struct round round;
    struct logged logged;
    struct measured measured;
    struct offline ips, snips, dr;
    struct examination examination;
    struct fault fault;
    double score[DOCS], index[DOCS], worth[DOCS], r[DOCS];
    float R[DOCS], seen[DOCS], x[DOCS][DIM];
    uint32_t order[DOCS], greedy[DOCS];
    size_t K, target;
    bool clicks;
};

static unsigned long cases, wrong;
static double largest;

static void near(const struct world *world, const char *what, double got, double want)
{
    double error = fabs(got - want) / (1 + fabs(want));
    cases++;
    largest = error > largest ? error : largest;
    if (error <= 1e-12)
        return;
    if (wrong++ < 20)
        fprintf(stderr, "targets: %s of %s, %s: %.17g, not %.17g\n", TARGETS[world->target].text,
                world->ips.measure.name, what, got, want);
}

static void stop(const struct world *world, const char *what)
{
    fprintf(stderr, "targets: %s: %s\n", what, world->fault.text);
    exit(1);
}

static const struct ties ties = { .seed = 3 };

/* A round of scores, without an order. */
static struct round *start_round(struct world *world, size_t m)
{
    struct round *round = &world->round;
    if (round_start(round, 1, NULL, m, 0, &world->fault) < 0)
        stop(world, "round_start");
    round->score = world->score;
    round->index = world->index;
    round->worth = world->worth;
    return round;
}

static void show(struct world *world, const struct law *law, const uint32_t *order)
{
    struct round *round = start_round(world, law->m);
    memcpy(world->order, order, sizeof world->order);
    memcpy(world->greedy, law->greedy, sizeof world->greedy);
    round->explored = law->kind != LUCE;
    round->gamma = law->gamma;
    round->top = law->kind == TOP ? law->T : 0;
    round->swap = law->kind == SWAP ? law->T : 0;
    round->slot = law->kind == SLOT ? law->T : 0;
    round->logit = law->kind == LUCE ? (double *)law->logit : NULL;
    round->order = world->order;
    round->greedy = world->greedy;
    round->seen = world->seen;
    round->places = world->K;
}

/* dr learns from each look: what it had learnt before is put back. */
static void look(struct world *world, size_t m)
{
    struct baseline *b = &world->dr.baseline;
    double w[DIM + 1], level[DIM + 1], inverse[64], constant = b->constant, top = b->top;
    size_t n = b->inverse.bytes < sizeof inverse ? b->inverse.bytes : sizeof inverse;
    if (measure_places(&world->measured, m, &world->fault) < 0 ||
        offline_round(&world->logged, &world->round, &ties, "ips", &world->fault) < 0)
        stop(world, "a round");
    world->logged.x = (struct matrix){ .kind = MATRIX_DENSE, .docs = m, .dim = DIM,
                                       .x = (const unsigned char *)world->x };
    memcpy(w, b->w.at, sizeof w);
    memcpy(level, b->level.at, sizeof level);
    memcpy(inverse, b->inverse.at, n);
    if (offline_look(&world->ips, &world->logged, &world->measured, &world->fault) < 0 ||
        offline_look(&world->snips, &world->logged, &world->measured, &world->fault) < 0 ||
        offline_look(&world->dr, &world->logged, &world->measured, &world->fault) < 0)
        stop(world, "a look");
    memcpy(b->w.at, w, sizeof w);
    memcpy(b->level.at, level, sizeof level);
    memcpy(b->inverse.at, inverse, n);
    b->constant = constant;
    b->top = top;
}

/* The target as a law. Its greedy order is the one that explore shows without exploring. */
static void make_target(struct world *world, struct law *law, size_t m)
{
    size_t t = world->target;
    struct explorer explorer = { .policy = &policies[TARGETS[t].ranks], .seed = ties.seed,
                                 .rated = true };
    const double *score = world->score;
    struct round *round = start_round(world, m);
    round->score = (double *)score;
    explorer.places = TARGETS[t].ranks == POLICY_UNIFORM ? 0 : TARGETS[t].T;
    if (policies_show(&explorer, round, &world->fault) < 0)
        stop(world, "policies_show");
    *law = (struct law){ .kind = TARGETS[t].kind, .m = m, .T = TARGETS[t].T,
                         .gamma = TARGETS[t].gamma };
    memcpy(law->greedy, round->order, m * sizeof *law->greedy);
    for (size_t i = 0; i < m; i++)
        law->logit[i] = score[i] / TARGETS[t].temperature;
    policies_close(&explorer);
    make_law(law);
}

/* The measure of an order: of labels, or of r, which takes the place of gains. */
static double value_of(struct world *world, size_t m, const uint32_t *order)
{
    const struct linear_measure *linear = world->ips.linear;
    double value = 0;
    if (measure_places(&world->measured, m, &world->fault) < 0)
        stop(world, "measure_places");
    for (size_t k = 0; k < m && k < world->ips.measure.cutoff; k++) {
        double gain = world->clicks ? world->r[order[k]]
                                    : linear->gain(&world->measured, world->R[order[k]]);
        value += linear->sign * linear->weight(&world->measured, k) * gain;
    }
    return value / world->ips.unit;
}

/* Adds the looks at an order of the log: of clicks, at each that might have been. */
static void add_order_shown(struct world *world, const struct law *law, size_t o, double *expected)
{
    for (unsigned clicks = 0; clicks < (world->clicks ? 1u << world->K : 1); clicks++) {
        double chance = law->chance[o];
        for (size_t a = 0; a < world->K; a++) {
            uint32_t doc = law->order[o][a];
            double p = world->examination.theta[a] * world->r[doc];
            world->seen[a] = world->clicks ? (float)(clicks >> a & 1) : world->R[doc];
            chance *= !world->clicks ? 1 : clicks >> a & 1 ? p : 1 - p;
        }
        if (!(chance > 0))
            continue;
        show(world, law, law->order[o]);
        look(world, law->m);
        expected[0] += chance * world->ips.round[OFFLINE_A];
        expected[1] += chance * world->dr.round[OFFLINE_A];
        expected[2] += chance * world->snips.round[OFFLINE_B];
        expected[3] += chance * world->snips.round[OFFLINE_C];
    }
}

static void check_law(struct world *world, struct law *law)
{
    struct law target;
    double truth = 0, weight = 0, expected[4] = { 0 };
    make_target(world, &target, law->m);
    make_law(law);
    for (size_t o = 0; o < law->orders; o++)
        add_order_shown(world, law, o, expected);
    for (size_t o = 0; o < target.orders; o++)
        truth += target.chance[o] * value_of(world, law->m, target.order[o]);
    for (size_t k = 0; k < law->m && k < world->ips.measure.cutoff; k++)
        weight += world->ips.linear->sign * world->ips.linear->weight(&world->measured, k);
    near(world, "ips", expected[0], truth);
    near(world, "dr", expected[1], truth);
    near(world, "b", expected[2], weight);
    near(world, "c", expected[3], weight);
}

/* A log that has known propensities above 0. */
static void draw_law(struct world *world, struct rng *rng, struct law *law, size_t trial)
{
    law->kind = trial % KINDS;
    law->gamma = (double[]){ 0.05, 0.5, 1 }[trial / KINDS % 3];
    law->m = 1 + rng_below(rng, DOCS);
    law->T = 1 + rng_below(rng, (uint32_t)law->m);
    world->K = 1 + rng_below(rng, (uint32_t)law->m);
    if (law->kind == LUCE && world->K > 2)
        world->K = 2;
    if (law->kind == TOP && world->K > law->T && !world->clicks)
        world->K = law->T;
    if (law->kind == SWAP) {
        world->K = law->T;
        law->gamma = law->gamma < 1 ? law->gamma : 0.9;
        law->kind = law->T == law->m ? UNIFORM : SWAP;
    }
    if (law->kind == SLOT)
        world->K = law->T + rng_below(rng, (uint32_t)(law->m - law->T + 1));
    rng_permutation(rng, law->greedy, law->m);
    for (size_t i = 0; i < DOCS; i++)
        law->logit[i] = 4 * rng_unit(rng) - 2;
}

static void draw_world(struct world *world, struct rng *rng)
{
    double *theta = examination_new(&world->examination, DOCS, &world->fault);
    for (size_t i = 0; i < DOCS; i++) {
        theta[i] = 0.1 + 0.9 * rng_unit(rng);
        world->r[i] = rng_below(rng, 4) ? rng_unit(rng) : 0;
        world->R[i] = (float)rng_below(rng, 4);
        world->score[i] = (double)rng_below(rng, 6) / 2 - 1; /* ties, too */
        world->index[i] = rng_unit(rng);
        world->worth[i] = 3 * rng_unit(rng);
        for (size_t j = 0; j < DIM; j++)
            world->x[i][j] = (float)rng_unit(rng);
    }
    world->logged.examination = world->clicks ? &world->examination : NULL;
}

/* The regression learns some rounds first. */
static void start(struct world *world, struct rng *rng, const char *measure)
{
    struct baseline *b = &world->dr.baseline;
    struct matrix x = { .kind = MATRIX_DENSE, .docs = DOCS, .dim = DIM,
                        .x = (const unsigned char *)world->x };
    struct target *target = &world->logged.target;
    offline_end(&world->dr);
    if (offline_parse(&world->ips, measure, OFFLINE_IPS, &world->fault) < 0 ||
        offline_parse(&world->snips, measure, OFFLINE_SNIPS, &world->fault) < 0 ||
        offline_parse(&world->dr, measure, OFFLINE_DR, &world->fault) < 0 ||
        target_parse(target, TARGETS[world->target].text, &world->fault) < 0 ||
        baseline_round(b, &x, &world->fault) < 0)
        stop(world, "start");
    world->ips.clicks = world->snips.clicks = world->dr.clicks = world->clicks;
    for (size_t i = 0; i < DOCS; i++)
        if (baseline_learn(b, i, 3 * rng_unit(rng), 0.3, &world->fault) < 0)
            stop(world, "baseline_learn");
}

int main(int argc, char **argv)
{
    static struct world world;
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    struct law law;
    size_t every = argc > 1 ? (size_t)atoi(argv[1]) : 1;
    world.measured.conventions = (struct conventions){ false, false, 4, 0.01 };
    round_open(&world.round, &world.record);
    for (size_t trial = 0; trial < 2000; trial++) {
        world.target = trial % COUNT(TARGETS);
        world.clicks = trial / COUNT(TARGETS) % 2;
        draw_world(&world, &rng);
        draw_law(&world, &rng, &law, trial);
        start(&world, &rng, MEASURES[trial / 4 % COUNT(MEASURES)]);
        if (trial % every == 0 || trial < 4 * COUNT(TARGETS))
            check_law(&world, &law);
    }
    printf("targets: %lu cases, largest error %.1e\n", cases, largest);
    if (wrong)
        fprintf(stderr, "targets: %lu wrong\n", wrong);
    offline_end(&world.dr);
    offline_close(&world.logged);
    measure_close(&world.measured);
    examination_close(&world.examination);
    world.round = (struct round){ .record = NULL };
    return wrong ? 1 : 0;
}
