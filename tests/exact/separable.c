/* separable: what the perceptrons promise on queries that some ranker ranks right with a margin
 * (Chaudhuri & Tewari's perceptron paper): slam's bound holds after every round, minimax ranks the
 * same for every eta, and both are soon right, where listnet is not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feature/game.h"
#include "learn/learner.h"
#include "learners/learners.h"
#include "loss/surrogate_gradients.h"
#include "math/order.h"
#include "measure/measure.h"

enum { ROUNDS = 5000, LAST = 1000, DOCS = 20 };
static const double MARGIN = 0.1;

struct run {
    struct state state;
    struct record record;
    struct round round;
    struct game game;
    struct measured measured;
    struct fault fault;
    struct measure ndcg;
    uint32_t order[DOCS];
    double s[DOCS];
    double short_of_1, loss, squares; /* sums over the rounds: 1 - NDCG, f, |z|^2 */
    unsigned long wrong;              /* of the last rounds, those not ranked right */
};

static void stop(const struct run *run, const char *where)
{
    fprintf(stderr, "separable: %s: %s\n", where, run->fault.text);
    exit(1);
}

static struct run *start(const char *name, double eta, uint64_t seed)
{
    struct run *run = calloc(1, sizeof *run);
    struct game_settings usual = { .set = { false } };
    struct settings settings = { .set = { false } };
    if (!run)
        exit(1);
    settings.set[SETTING_ETA] = true;
    settings.value[SETTING_ETA] = eta;
    round_open(&run->round, &run->record);
    if (game_start(&run->game, game_find("separable"), &usual, seed, &run->fault) < 0 ||
        learner_start(&run->state, learner_find(name), &settings, 0, &run->fault) < 0 ||
        measure_parse(&run->ndcg, "ndcg", &run->fault) < 0)
        stop(run, name);
    return run;
}

static void end(struct run *run)
{
    learner_close(&run->state);
    round_close(&run->round);
    game_close(&run->game);
    measure_close(&run->measured);
    free(run);
}

/* The ranking by w, its NDCG and its loss. */
static void rank(struct run *run, const struct matrix *x, const char *name)
{
    static const struct surrogate_options options = { 1, SIZE_MAX, false, NULL };
    double R[DOCS], scratch[SURROGATE_SCRATCH * DOCS], value = 0;
    uint32_t spare[DOCS];
    matrix_times(x, run->state.w, 1, run->state.dim, run->s, NULL);
    order_by_score(DOCS, run->s, run->order, spare);
    if (measure_round(&run->measured, DOCS, run->order, run->round.label, run->s, &run->fault) <
            0 ||
        measure_value(&run->ndcg, &run->measured, &value, &run->fault) != 1)
        stop(run, "ndcg");
    for (size_t i = 0; i < DOCS; i++)
        R[i] = run->round.label[i];
    run->short_of_1 += 1 - value;
    run->wrong += run->round.t > ROUNDS - LAST && value < 1 - 1e-12;
    run->loss += surrogate_find(name)->loss(DOCS, run->s, R, &options, scratch);
}

/* One round, and what its step was: z = (w before - w after) / eta. */
static void play(struct run *run, uint64_t t, double eta)
{
    struct matrix x;
    if (game_round(&run->game, t, &run->round, &run->fault) < 0 ||
        round_matrix(&run->round, &x, &run->fault) < 0)
        stop(run, "game_round");
    double before[32] = { 0 };
    rank(run, &x, run->state.learner->name);
    memcpy(before, run->state.w, run->state.dim * sizeof *before);
    if (learner_learn(&run->state, &run->round, &run->fault) < 0)
        stop(run, "learner_learn");
    for (size_t j = 0; j < run->state.dim; j++) {
        double z = (before[j] - run->state.w[j]) / eta;
        run->squares += z * z;
    }
}

/* sum (1 - NDCG) <= sum f(w_t) <= |u / margin|^2 / (2 eta) + eta / 2 sum |z|^2 (equation 17, at
 * u / margin, where every f is 0), after every round. */
static unsigned long check_slam(double eta, uint64_t seed)
{
    struct run *run = start("slam", eta, seed);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        play(run, t, eta);
        double most = 1 / (2 * eta * MARGIN * MARGIN) + eta / 2 * run->squares;
        if (!(run->short_of_1 <= run->loss) || !(run->loss <= most * (1 + 1e-9))) {
            fprintf(stderr, "separable: slam, eta %g, seed %g, round %g: %.17g <= %.17g <= %.17g\n",
                    eta, (double)seed, (double)t, run->short_of_1, run->loss, most);
            exit(1);
        }
    }
    unsigned long wrong = run->wrong;
    end(run);
    return wrong;
}

static unsigned long check_minimax(uint64_t seed)
{
    const double small = 0x1p-30;
    struct run *one = start("minimax", 1, seed), *other = start("minimax", small, seed);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        play(one, t, 1);
        play(other, t, small);
        if (memcmp(one->order, other->order, sizeof one->order) != 0) {
            fprintf(stderr, "separable: minimax, seed %g: round %g is ranked otherwise with a "
                    "small eta\n", (double)seed, (double)t);
            exit(1);
        }
    }
    unsigned long wrong = one->wrong;
    end(one);
    end(other);
    return wrong;
}

static unsigned long listnet(uint64_t seed)
{
    const double eta = 1 / sqrt(ROUNDS);
    struct run *run = start("listnet", eta, seed);
    for (uint64_t t = 1; t <= ROUNDS; t++)
        play(run, t, eta);
    unsigned long wrong = run->wrong;
    end(run);
    return wrong;
}

int main(void)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        unsigned long slam = check_slam(1, seed), minimax = check_minimax(seed);
        unsigned long other = listnet(seed);
        check_slam(0.1, seed);
        check_slam(0.01, seed);
        printf("separable: seed %g: of the last %d rounds slam ranks %lu wrong, minimax %lu, "
               "listnet %lu\n", (double)seed, LAST, slam, minimax, other);
        if (10 * slam >= other || 10 * minimax >= other) {
            fprintf(stderr, "separable: not less than a tenth\n");
            return 1;
        }
    }
    return 0;
}
