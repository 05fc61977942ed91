/*
 * Estimates from clicks, exactly: over all orders that explore might have shown, each found by
 * doing what the policy does, and over all clicks that a user might have given, what ips and dr
 * make of a round has the mean sum_j weight(position of j) r_j, whatever dr's regression has
 * learnt; and what snips divides by has the mean sum_j weight(position of j). No sampling. Then the
 * effective sample size, the share without support, and what is refused or noticed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/rng.h"
#include "measure/offline.h"

enum { DOCS = 4, DIM = 2, ORDERS = 24 };

#include "laws.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static unsigned long cases, wrong;

static void near(const char *what, double got, double want, double a, double b)
{
    cases++;
    if (fabs(got - want) <= 1e-11 * (1 + fabs(want)))
        return;
    if (wrong++ < 20)
        fprintf(stderr, "click_estimates: %s is %.17g, not %.17g (%g, %g)\n", what, got, want, a,
                b);
}

struct world {
    struct record record;
    struct round round;
    struct logged logged;
    struct measured measured;
    struct offline ips, snips, dr;
    struct examination examination;
    struct fault fault;
    double score[DOCS], r[DOCS];
    float seen[DOCS], x[DOCS][DIM];
    uint32_t order[DOCS], greedy[DOCS];
    size_t K;
};

static void stop(const struct world *world, const char *what)
{
    fprintf(stderr, "click_estimates: %s: %s\n", what, world->fault.text);
    exit(1);
}

static const struct ties line_order = { .in_line_order = true };

static void show(struct world *world, const struct law *law, const uint32_t *order)
{
    struct round *round = &world->round;
    if (round_start(round, 1, NULL, law->m, 0, &world->fault) < 0)
        stop(world, "round_start");
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
    round->score = world->score;
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
        offline_round(&world->logged, &world->round, &line_order, "ips", &world->fault) < 0)
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

/* The mean over orders and clicks. */
static void check_law(struct world *world, struct law *law)
{
    double ips = 0, dr = 0, b = 0, c = 0, total = 0;
    make_law(law);
    for (size_t o = 0; o < law->orders; o++)
        for (unsigned clicks = 0; clicks < 1u << world->K; clicks++) {
            double chance = law->chance[o];
            for (size_t a = 0; a < world->K; a++) {
                double p = world->examination.theta[a] * world->r[law->order[o][a]];
                world->seen[a] = (float)(clicks >> a & 1);
                chance *= clicks >> a & 1 ? p : 1 - p;
            }
            if (!(chance > 0))
                continue;
            show(world, law, law->order[o]);
            look(world, law->m);
            total += chance;
            ips += chance * world->ips.round[OFFLINE_A];
            dr += chance * world->dr.round[OFFLINE_A];
            b += chance * world->snips.round[OFFLINE_B];
            c += chance * world->snips.round[OFFLINE_C];
        }
    double truth = 0, weight = 0;
    for (size_t i = 0; i < law->m && i < world->ips.measure.cutoff; i++) {
        truth += world->measured.discount[i] * world->r[world->logged.order[i]];
        weight += world->measured.discount[i];
    }
    near("the chance of all", total, 1, law->kind, law->gamma);
    near("the expected ips", ips, truth, law->kind, law->gamma);
    near("the expected dr", dr, truth, law->kind, law->gamma);
    near("the expected b", b, weight, law->kind, (double)law->T);
    near("c", c, weight, law->kind, (double)law->T);
}

static void draw_world(struct world *world, struct rng *rng, struct law *law)
{
    double *theta = examination_new(&world->examination, DOCS, &world->fault);
    law->m = 1 + rng_below(rng, DOCS);
    world->K = 1 + rng_below(rng, (uint32_t)law->m);
    if (law->kind == LUCE && world->K > 2)
        world->K = 2;
    law->T = 1 + rng_below(rng, DOCS);
    rng_permutation(rng, law->greedy, law->m);
    for (size_t i = 0; i < DOCS; i++) {
        theta[i] = 0.1 + 0.9 * rng_unit(rng);
        world->r[i] = rng_below(rng, 4) ? rng_unit(rng) : 0;
        world->score[i] = rng_unit(rng);
        law->logit[i] = 4 * rng_unit(rng) - 2;
        for (size_t j = 0; j < DIM; j++)
            world->x[i][j] = (float)rng_unit(rng);
    }
}

/* The regression learns some rounds first. */
static void start(struct world *world, struct rng *rng, const char *measure)
{
    struct baseline *b = &world->dr.baseline;
    struct matrix x = { .kind = MATRIX_DENSE, .docs = DOCS, .dim = DIM,
                        .x = (const unsigned char *)world->x };
    offline_end(&world->dr);
    if (offline_parse(&world->ips, measure, OFFLINE_IPS, &world->fault) < 0 ||
        offline_parse(&world->snips, measure, OFFLINE_SNIPS, &world->fault) < 0 ||
        offline_parse(&world->dr, measure, OFFLINE_DR, &world->fault) < 0 ||
        baseline_round(b, &x, &world->fault) < 0)
        stop(world, "start");
    world->ips.clicks = world->snips.clicks = world->dr.clicks = true;
    for (size_t i = 0; i < DOCS; i++)
        if (baseline_learn(b, i, 3 * rng_unit(rng), 0.3, &world->fault) < 0)
            stop(world, "baseline_learn");
}

static bool refused(struct world *world, const char *text)
{
    world->fault.kind = FAULT_NONE;
    bool got = offline_round(&world->logged, &world->round, &line_order, "ips", &world->fault) < 0;
    bool said = got && strstr(world->fault.text, text);
    if (!said)
        fprintf(stderr, "click_estimates: '%s', not '%s'\n", world->fault.text, text);
    world->fault.kind = FAULT_NONE;
    return said;
}

static void check_laws(struct world *world)
{
    static const double gammas[] = { 0.05, 0.5, 1 };
    static const char *const measures[] = { "dcg", "dcg@2" };
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    struct law law;
    for (size_t trial = 0; trial < 400; trial++) {
        law.kind = trial % KINDS;
        law.gamma = gammas[trial / KINDS % COUNT(gammas)];
        draw_world(world, &rng, &law);
        bool slot = law.kind == SLOT, swaps = law.kind == SWAP || slot;
        bool one = !slot && law.gamma == 1 && law.T == 1 && world->K == 1;
        if (swaps && law.T < law.m && (world->K < law.T || one)) {
            show(world, &law, law.greedy);
            memset(world->seen, 0, sizeof world->seen);
            near("a document never seen", refused(world, "are never seen"), 1, law.gamma, 0);
            continue;
        }
        if (swaps && law.T >= law.m && world->K < law.m)
            continue; /* nothing is left to chance */
        start(world, &rng, measures[trial / 12 % 2]);
        check_law(world, &law);
    }
}

/* ---- support, sample size, refusals ---- */

/* Ten rounds, in one of which another order is shown; two of three documents are seen. */
static void check_sums(struct world *world)
{
    struct rng rng = rng_at(2, RNG_SAMPLE, 1);
    struct law law = { .kind = UNIFORM, .m = 3, .gamma = 0, .greedy = { 0, 1, 2 } };
    const uint32_t other[DOCS] = { 2, 1, 0 };
    double sum = 0, squares = 0, M[10], V = 0, mean = 0, spread = 0;
    struct fault line = { FAULT_NONE, "" };
    draw_world(world, &rng, &law);
    law.m = 3;
    for (uint32_t i = 0; i < 3; i++)
        law.greedy[i] = i;
    world->K = 2;
    memset(world->seen, 0, sizeof world->seen);
    for (size_t i = 0; i < 3; i++)
        world->score[i] = 3 - (double)i;
    for (int pass = 0; pass < 2; pass++) {
        start(world, &rng, "dcg");
        world->logged.rounds = world->logged.certain = 0;
        double examined[3] = { 0, 0, 0 };
        sum = squares = V = mean = spread = 0;
        law.gamma = pass ? 0.3 : 0;
        for (int t = 0; t < 10; t++) {
            world->seen[0] = t == 9; /* of the last round: nothing is learnt from it */
            show(world, &law, pass && t == 7 ? other : law.greedy);
            look(world, 3);
            offline_add(&world->ips);
            M[t] = 0;
            for (size_t i = 0; i < 2; i++) { /* before the click r is 1/2 over what was examined */
                size_t place = world->logged.place[i];
                double u = world->logged.share[i], p = u * 0.5 / (examined[place] + 1);
                double w = world->measured.discount[place] / world->logged.propensity[i];
                M[t] += w * p;
                V += w * w * p * (1 - p);
                examined[place] += u;
            }
            mean += M[t] / 10;
            sum += world->ips.round[OFFLINE_B];
            squares += world->ips.round[OFFLINE_B] * world->ips.round[OFFLINE_B];
        }
        for (int t = 0; t < 10; t++)
            spread += (M[t] - mean) * (M[t] - mean);
        near("the error by the model", offline_error(&world->ips), sqrt((spread + V) / 90), pass,
             0);
        near("effective rounds", offline_rounds(&world->ips), sum * sum / squares, pass, 0);
        near("without support", offline_unsupported(&world->ips),
             pass ? 0 : 0.5 / (1 + 1 / log2(3) + 0.5), pass, 0);
        near("that nothing was left to chance", offline_notice(&world->logged, 0, &line) &&
             strstr(line.text, "left to chance") != NULL, pass == 0, pass, 0);
        near("that the log is short", offline_notice(&world->logged, pass == 0, &line), 1, pass, 0);
        near("no more", offline_notice(&world->logged, 2, &line), 0, pass, 0);
        line = (struct fault){ FAULT_NONE, "" };
    }
}

/* Of the last round. */
static void check_refusals(struct world *world)
{
    struct fault line = { FAULT_NONE, "" };
    world->logged.rounds = OFFLINE_LONG;
    near("nothing of a long log", offline_notice(&world->logged, 0, &line), 0, 0, 0);
    world->round.explored = false;
    near("no law", refused(world, "needs to know how the order was drawn"), 1, 0, 0);
    world->round.explored = world->round.in_block = true;
    near("blocks", refused(world, "explore -p blocks drew the order"), 1, 0, 0);
    world->round.in_block = false;
    world->seen[1] = 2;
    near("labels", refused(world, "learns from clicks, which are 1 or 0"), 1, 0, 0);
    world->seen[1] = 0;
    world->examination.places = 1;
    near("a short table", refused(world, "the table of examination has 1"), 1, 0, 0);
}

int main(void)
{
    static struct world world;
    world.measured.conventions = (struct conventions){ false, false, 4, 0.01 };
    world.logged.examination = &world.examination;
    round_open(&world.round, &world.record);
    check_laws(&world);
    check_sums(&world);
    check_refusals(&world);
    printf("click_estimates: %lu cases\n", cases);
    if (wrong)
        fprintf(stderr, "click_estimates: %lu wrong\n", wrong);
    offline_end(&world.dr);
    offline_close(&world.logged);
    measure_close(&world.measured);
    examination_close(&world.examination);
    world.round = (struct round){ .record = NULL };
    return wrong ? 1 : 0;
}
