/*
 * Judging from logs, exactly: what ips makes of each order that explore might have shown, summed
 * with their probabilities, is the measure that every label gives the other ranking. So is what
 * snips divides by, and what it multiplies by. No sampling. And the standard errors against two
 * passes over the rounds.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/order.h"
#include "math/rng.h"
#include "measure/offline.h"

enum { DOCS = 5, ORDERS = 120, ROUNDS = 50 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const MEASURES[] = { "dcg", "dcg@1", "dcg@2", "dcg@9", "prec@1", "prec@3",
                                        "prec@9", "p@1", "p@3", "p@9", "sumloss" };

static const double GAMMA[] = { 0.001, 0.05, 0.2, 0.5, 1 };

/* The first m of each is the ranking to be judged: ties, too. */
static const double SCORE[][DOCS] = {
    { 0, 0, 0, 0, 0 },
    { 0.5, -0.25, 1.25, 0.125, -1 },
    { 1, 0, 2, 1, 0.5 },
};

static const float RELEVANCE[][DOCS] = {
    { 0, 1, 0, 0, 1 },
    { 0, 0, 0, 0, 0 },
    { 2, 0, 4, 1, 2 },
    { 0.25f, 1.7f, 0, 0.3f, 3.14159f },
};

/* A round to be judged, and how it might have been shown. */
struct world {
    struct record record;
    struct round round;
    struct fault fault;
    struct logged logged;
    struct measured measured;
    struct offline ips, snips;
    uint32_t order[ORDERS][DOCS];
    size_t orders, m, k;
    double score[DOCS];
    float R[DOCS], seen[DOCS];
};

static unsigned long cases, wrong;
static double largest;

static void stop(const struct world *world, const char *what)
{
    fprintf(stderr, "offline: %s: %s\n", what, world->fault.text);
    exit(1);
}

static void same(const struct world *world, const char *what, double got, double want,
                 double within)
{
    double error = fabs(got - want) / fmax(fabs(want), 1);
    cases++;
    largest = error > largest ? error : largest;
    if (error <= within)
        return;
    if (wrong++ < 20)
        fprintf(stderr, "offline: %s: m=%zu k=%zu: %s is %.17g, not %.17g\n",
                world->ips.measure.name, world->m, world->k, what, got, want);
}

/* All orders of m documents: each of those of m - 1, with the last one put in everywhere. */
static void list_orders(struct world *world, size_t m)
{
    size_t n = world->orders = 1;
    world->order[0][0] = 0;
    for (uint32_t doc = 1; doc < m; doc++) {
        for (size_t o = n; o-- > 0;) {
            uint32_t old[DOCS];
            memcpy(old, world->order[o], sizeof old);
            for (size_t at = 0; at <= doc; at++) {
                uint32_t *new = world->order[o * (doc + 1) + at];
                memcpy(new, old, at * sizeof *new);
                new[at] = doc;
                memcpy(new + at + 1, old + at, (doc - at) * sizeof *new);
            }
        }
        n *= doc + 1;
    }
    world->orders = n;
}

/* The round as a log has it: shown, and answered for the first k. */
static void show(struct world *world, uint32_t *order, uint32_t *greedy, double gamma)
{
    struct round *round = &world->round;
    if (round_start(round, 1, NULL, world->m, 0, &world->fault) < 0)
        stop(world, "round_start");
    round->explored = true;
    round->gamma = gamma;
    round->order = order;
    round->greedy = greedy;
    round->score = world->score;
    round->seen = world->seen;
    round->places = world->k;
    for (size_t a = 0; a < world->k; a++)
        world->seen[a] = world->R[order[a]];
}

static const struct ties line_order = { .in_line_order = true };

static void look(struct world *world)
{
    if (measure_places(&world->measured, world->m, &world->fault) < 0 ||
        offline_round(&world->logged, &world->round, &line_order, "ips", &world->fault) < 0 ||
        offline_look(&world->ips, &world->logged, &world->measured, &world->fault) < 0 ||
        offline_look(&world->snips, &world->logged, &world->measured, &world->fault) < 0)
        stop(world, "a look");
}

/* What the measure itself says of the ranking by score, all labels in hand. */
static double truth(struct world *world)
{
    double value = 0;
    uint32_t order[DOCS], scratch[DOCS];
    order_by_score(world->m, world->score, order, scratch);
    if (measure_round(&world->measured, world->m, order, world->R, NULL, &world->fault) < 0 ||
        measure_value(&world->ips.measure, &world->measured, &value, &world->fault) != 1)
        stop(world, "measure_value");
    return value;
}

static void add_to(double *expected, const struct world *world, double probability)
{
    expected[OFFLINE_A] += probability * world->ips.round[OFFLINE_A];
    expected[OFFLINE_B] += probability * world->snips.round[OFFLINE_B];
    expected[OFFLINE_C] += probability * world->snips.round[OFFLINE_C];
    same(world, "a of snips", world->snips.round[OFFLINE_A], world->ips.round[OFFLINE_A], 0);
}

/* With probability 1 - gamma the greedy order, else any. */
static void expect(struct world *world, const uint32_t *by_score, double gamma)
{
    double expected[OFFLINE_SUMS] = { 0 };
    uint32_t order[DOCS], greedy[DOCS];
    memcpy(greedy, by_score, sizeof greedy);
    memcpy(order, by_score, sizeof order);
    show(world, order, NULL, gamma);
    look(world);
    add_to(expected, world, 1 - gamma);
    for (size_t o = 0; o < world->orders; o++) {
        memcpy(order, world->order[o], sizeof order);
        show(world, order, greedy, gamma);
        look(world);
        add_to(expected, world, gamma / (double)world->orders);
    }
    same(world, "the expected a", expected[OFFLINE_A], truth(world), 1e-12);
    same(world, "the expected b", expected[OFFLINE_B], expected[OFFLINE_C], 1e-12);
}

/* Never masked: the measure itself, to the bit. */
static void check_labels(struct world *world)
{
    world->k = world->m;
    show(world, world->order[0], NULL, 0);
    world->round.seen = NULL;
    world->round.label = world->R;
    look(world);
    same(world, "a of all labels", world->ips.round[OFFLINE_A], truth(world), 0);
    same(world, "b of all labels", world->snips.round[OFFLINE_B], world->snips.round[OFFLINE_C],
         0);
}

static void check_case(struct world *world)
{
    size_t every = world->m < 4 ? 1 : world->m == 4 ? 5 : 23;
    check_labels(world);
    for (world->k = 1; world->k <= world->m; world->k++)
        for (size_t o = 0; o < world->orders; o += every)
            for (size_t g = 0; g < COUNT(GAMMA); g++)
                expect(world, world->order[o], GAMMA[g]);
}

static void check_measure(struct world *world, const char *name)
{
    if (offline_parse(&world->ips, name, OFFLINE_IPS, &world->fault) < 0 ||
        offline_parse(&world->snips, name, OFFLINE_SNIPS, &world->fault) < 0)
        stop(world, "offline_parse");
    for (world->m = 1; world->m <= DOCS; world->m++) {
        list_orders(world, world->m);
        for (size_t s = 0; s < COUNT(SCORE); s++) {
            for (size_t r = 0; r < COUNT(RELEVANCE); r++) {
                memcpy(world->score, SCORE[s], sizeof world->score);
                memcpy(world->R, RELEVANCE[r], sizeof world->R);
                check_case(world);
            }
        }
    }
}

/* ---- the standard errors, in two passes ---- */

struct sample {
    long double a[ROUNDS], b[ROUNDS], c[ROUNDS];
};

static long double mean(const long double *x)
{
    long double sum = 0;
    for (size_t t = 0; t < ROUNDS; t++)
        sum += x[t];
    return sum / ROUNDS;
}

static long double error_of(const long double *x)
{
    long double sum = 0, middle = mean(x);
    for (size_t t = 0; t < ROUNDS; t++)
        sum += (x[t] - middle) * (x[t] - middle);
    return sqrtl(sum / (ROUNDS - 1) / ROUNDS);
}

/* The gradient of A C / B by differences, for each round's part in it. */
static long double linearised_error(const struct sample *sample)
{
    const long double h = 1e-6L, A = mean(sample->a), B = mean(sample->b), C = mean(sample->c);
    const long double by_a = C / B, by_c = A / B;
    const long double by_b = (A * C / (B + h) - A * C / (B - h)) / (2 * h);
    long double e[ROUNDS];
    for (size_t t = 0; t < ROUNDS; t++)
        e[t] = by_a * sample->a[t] + by_b * sample->b[t] + by_c * sample->c[t];
    return error_of(e);
}

static void draw_round(struct world *world, struct rng *rng)
{
    world->m = 1 + rng_below(rng, DOCS);
    world->k = 1 + rng_below(rng, (uint32_t)world->m);
    for (size_t i = 0; i < world->m; i++) {
        world->score[i] = rng_unit(rng);
        world->R[i] = (float)rng_below(rng, 5);
    }
}

/* `far` is put on each sum: a spread that is small beside its mean must not drown in it. */
static void check_errors(struct world *world, const char *name, double far)
{
    struct sample sample;
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    uint32_t order[DOCS], greedy[DOCS] = { 0, 1, 2, 3, 4 };
    if (offline_parse(&world->ips, name, OFFLINE_IPS, &world->fault) < 0 ||
        offline_parse(&world->snips, name, OFFLINE_SNIPS, &world->fault) < 0)
        stop(world, "offline_parse");
    for (size_t t = 0; t < ROUNDS; t++) {
        draw_round(world, &rng);
        for (uint32_t i = 0; i < world->m; i++)
            greedy[i] = i;
        rng_permutation(&rng, order, world->m);
        show(world, order, greedy, 0.3);
        look(world);
        world->ips.round[OFFLINE_A] += far;
        world->snips.round[OFFLINE_A] += far;
        offline_add(&world->ips);
        offline_add(&world->snips);
        sample.a[t] = world->ips.round[OFFLINE_A];
        sample.b[t] = world->snips.round[OFFLINE_B];
        sample.c[t] = world->snips.round[OFFLINE_C];
    }
    same(world, "ips", offline_value(&world->ips), (double)mean(sample.a), 1e-14);
    same(world, "its error", offline_error(&world->ips) / (double)error_of(sample.a), 1, 1e-9);
    if (far == 0) {
        same(world, "snips", offline_value(&world->snips),
             (double)(mean(sample.a) / mean(sample.b) * mean(sample.c)), 1e-14);
        same(world, "its error", offline_error(&world->snips) / (double)linearised_error(&sample),
             1, 1e-9);
    }
}

/* ---- the interval, from the model's sums in two passes ---- */

/* What the model says of the round at hand, from the rounds before it. */
struct model { /* of documents that are shown in at least half of the rounds, and of the others */
    long double gains[2][DOCS], seen[2][DOCS], sum[2], squares[2], all[2];
};

static void add_model(struct world *world, struct model *model, long double *M, long double *V)
{
    uint32_t order[DOCS], scratch[DOCS], *shown = world->round.order;
    long double gain[DOCS], G[2];
    size_t at[DOCS], k = world->k, m = world->m;
    bool apart[DOCS];
    order_by_score(m, world->score, order, scratch);
    *M = *V = 0;
    for (int c = 0; c < 2; c++)
        G[c] = model->sum[c] > 0 ? model->squares[c] / model->sum[c] : 0;
    for (int c = 0; c < 2; c++)
        G[c] = G[c] > 0 ? G[c] : G[!c];
    for (size_t a = 0; a < k; a++) {
        bool greedy = shown[a] < k; /* the greedy order is 0, 1, 2 ... */
        long double pi = k == m ? 1 : (greedy ? 0.7L : 0) + 0.3L * (long double)k / (long double)m;
        bool c = apart[a] = pi < 0.5L;
        for (size_t i = 0; i < m; i++)
            at[a] = order[i] == shown[a] ? i : at[a];
        gain[a] = exp2l(world->seen[a]) - 1;
        long double prior = (model->sum[c] + G[c] / 2) / (model->all[c] + 1);
        long double y = (model->gains[c][at[a]] + prior) / (model->seen[c][at[a]] + 1);
        long double w = at[a] < 3 ? 1 / log2l((long double)at[a] + 2) / pi : 0;
        y = y < G[c] ? y : G[c];
        *M += w * y;
        *V += w * w * y * (G[c] - y);
    }
    for (size_t a = 0; a < k; a++) {
        model->gains[apart[a]][at[a]] += gain[a];
        model->seen[apart[a]][at[a]]++;
        model->all[apart[a]]++;
        model->sum[apart[a]] += gain[a];
        model->squares[apart[a]] += gain[a] * gain[a];
    }
}

/* dcg@3, whose gains change from scarce to plenty. */
static void check_interval(struct world *world)
{
    struct sample sample;
    struct model model = { .sum = { 0, 0 } };
    struct rng rng = rng_at(5, RNG_SAMPLE, 1);
    uint32_t order[DOCS], greedy[DOCS];
    long double M[ROUNDS], e[ROUNDS], V, noise = 0;
    world->measured.conventions.linear_gain = false;
    if (offline_parse(&world->ips, "dcg@3", OFFLINE_IPS, &world->fault) < 0 ||
        offline_parse(&world->snips, "dcg@3", OFFLINE_SNIPS, &world->fault) < 0)
        stop(world, "offline_parse");
    for (size_t t = 0; t < ROUNDS; t++) {
        draw_round(world, &rng);
        for (uint32_t i = 0; i < world->m; i++) {
            greedy[i] = i;
            world->R[i] = rng_below(&rng, 4) ? 0 : (float)(1 + rng_below(&rng, 2));
        }
        rng_permutation(&rng, order, world->m);
        show(world, order, greedy, 0.3);
        look(world);
        add_model(world, &model, &M[t], &V);
        noise += V / ROUNDS;
        offline_add(&world->ips);
        offline_add(&world->snips);
        sample.a[t] = world->ips.round[OFFLINE_A];
        sample.b[t] = world->snips.round[OFFLINE_B];
        sample.c[t] = world->snips.round[OFFLINE_C];
    }
    long double scale = mean(sample.c) / mean(sample.b), q = mean(sample.a) / mean(sample.b);
    for (size_t t = 0; t < ROUNDS; t++)
        e[t] = scale * M[t] - q * scale * sample.b[t] + q * sample.c[t];
    long double n = ROUNDS, error = sqrtl(error_of(M) * error_of(M) + noise / (n - 1));
    long double ratio = sqrtl(error_of(e) * error_of(e) + scale * scale * noise / (n - 1));
    same(world, "the model's error is the larger one", error > error_of(sample.a), 1, 0);
    world->ips.lifted = world->snips.lifted = OFFLINE_FED - 1;
    same(world, "one round is missing", isnan(offline_margin(&world->ips)), 1, 0);
    world->ips.lifted = world->snips.lifted = OFFLINE_FED;
    same(world, "the interval", offline_margin(&world->ips), (double)(1.959963984540054L * error),
         1e-12);
    same(world, "that of snips", offline_margin(&world->snips),
         (double)(1.959963984540054L * ratio), 1e-12);
}

static void check_nothing(struct world *world)
{
    if (offline_parse(&world->ips, "dcg", OFFLINE_IPS, &world->fault) < 0)
        stop(world, "offline_parse");
    same(world, "no round's value", isnan(offline_value(&world->ips)), 1, 0);
    show(world, world->order[0], NULL, 0.5);
    look(world);
    offline_add(&world->ips);
    same(world, "one round's value", isnan(offline_value(&world->ips)), 0, 0);
    same(world, "one round's error", isnan(offline_error(&world->ips)), 1, 0);
}

int main(void)
{
    static struct world world;
    world.measured.conventions = (struct conventions){ false, false, 4, 0.01 };
    round_open(&world.round, &world.record);
    for (int lin = 0; lin < 2; lin++) {
        world.measured.conventions.linear_gain = lin;
        for (size_t i = 0; i < COUNT(MEASURES); i++)
            check_measure(&world, MEASURES[i]);
    }
    printf("offline: %lu cases, largest error %.1e\n", cases, largest);
    for (size_t i = 0; i < COUNT(MEASURES); i++) {
        check_errors(&world, MEASURES[i], 0);
        check_errors(&world, MEASURES[i], 1e6);
    }
    check_interval(&world);
    world.m = world.k = 1;
    list_orders(&world, 1);
    check_nothing(&world);
    if (wrong)
        fprintf(stderr, "offline: %lu wrong\n", wrong);
    offline_close(&world.logged);
    measure_close(&world.measured);
    round_close(&world.round);
    return wrong ? 1 : 0;
}
