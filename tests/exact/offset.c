/*
 * Learners by gradient begin with a search engine's order: where features end in base, each of
 * them, by a step size, in a ball and without a step size, has the weights that its gradients give
 * from w_1 = 1. The gradients are those of a learner of the same name without steps of features,
 * which is put at the expected weights in each round and gets the feature of the base as a number,
 * made here by its formula. The ball is around the start; bets are on what the weights are more
 * than it. Scores by messages of the ring, from message 0 on, are those of the expected weights,
 * and to the bit those of a model in a file. A run that stops after each round has the same model.
 */
#include "rounds.h"

#include "learn/descent.h"
#include "learn/scoring.h"
#include "math/bets.h"

enum { SETS = 5, RAW = 4, WIDTH = RAW + 1, TIMES = 40 };
enum way { BY_ETA, IN_BALL, BY_BETS, WAYS };

static const double eta = 0.1, radius = 0.25;

static struct query sets[SETS];
static uint32_t bases[SETS][DOCS], orders[SETS][DOCS];

static void draw_sets(struct rng *rng)
{
    for (size_t s = 0; s < SETS; s++) {
        draw_features(rng, &sets[s], 3 + rng_below(rng, DOCS - 3), RAW, draw_unit);
        draw_labels(rng, &sets[s], 2);
        rng_permutation(rng, bases[s], (uint32_t)sets[s].docs);
        rng_permutation(rng, orders[s], (uint32_t)sets[s].docs);
    }
}

/* The query with the feature of its base before the others; `centred`: all of them about their
 * means, as near as a float is. */
static void with_base(size_t s, bool centred, struct query *query)
{
    size_t m = sets[s].docs;
    *query = sets[s];
    query->dim = WIDTH;
    double last = 1 / log2(1 + (double)m);
    for (size_t p = 0; p < m; p++) {
        uint32_t i = bases[s][p];
        query->x[i][0] = (float)((1 / log2(2 + (double)p) - last) / (1 - last));
        for (size_t j = 0; j < RAW; j++)
            query->x[i][j + 1] = sets[s].x[i][j];
    }
    for (size_t j = 0; centred && j < WIDTH; j++) {
        float mean = 0;
        for (size_t i = 0; i < m; i++)
            mean += query->x[i][j] / (float)m;
        for (size_t i = 0; i < m; i++)
            query->x[i][j] -= mean;
    }
}

/* ---- the learner ---- */

static struct settings settings_of(const struct learner *learner, enum way way)
{
    struct settings settings;
    memset(&settings, 0, sizeof settings);
    if (way != BY_BETS)
        set(&settings, SETTING_ETA, eta);
    if (way == IN_BALL)
        set(&settings, SETTING_RADIUS, radius);
    if (strcmp(learner->name, "smoothdcg") == 0)
        set(&settings, SETTING_EPSILON, 0.5);
    return settings;
}

static void begin(struct state *state, const struct learner *learner, enum way way)
{
    struct fault fault = { FAULT_NONE, "" };
    const struct settings settings = settings_of(learner, way);
    start(state, learner->name, &settings);
    must(learner_make(state, "base", &fault), &fault);
}

/* Feedback of the kind that the learner takes. The round keeps the scores that it has. */
static const struct round *add_feedback(struct made *made, const struct state *state, size_t s)
{
    struct round *round = &made->round;
    double *score = round->score, *rival = round->rival;
    bool clicks = strcmp(state->learner->name, "pdgd") == 0;
    if (clicks || strcmp(state->learner->name, "dbgd") == 0) {
        mask_round(made, orders[s], round->docs);
        for (size_t a = 0; a < round->docs; a++)
            made->seen[a] = made->seen[a] > 1;
        for (size_t i = 0; i < round->docs; i++) {
            made->logit[i] = -0.5 * (double)i;
            made->team[i] = made->label[orders[s][i]] > 1;
        }
        round->logit = clicks ? made->logit : NULL;
        round->team = made->team;
        round->score = score;
        round->rival = rival;
    }
    return round;
}

/* Scores a round by what score has, and learns it. */
static void learn(struct state *state, struct scoring *scoring, size_t s, uint64_t t, double *score)
{
    static struct made made;
    struct fault fault = { FAULT_NONE, "" };
    make_round(&made, &sets[s], t, t % 2 ? SPARSE : DENSE);
    uint32_t *base = round_new(&made.round, ROUND_BASE, &fault);
    must(base ? 0 : -1, &fault);
    memcpy(base, bases[s], sets[s].docs * sizeof *base);
    must(scoring_round(scoring, &made.round, ROUND_SCORE, NULL, &fault), &fault);
    memcpy(score, made.round.score, sets[s].docs * sizeof *score);
    if (state)
        learn_round(state, add_feedback(&made, state, s));
    round_close(&made.round);
}

/* The gradient at the weights W, of all that the learner steps by: what a learner without steps of
 * features, at these weights, takes off with a step of 1. */
static void find_gradient(const struct learner *learner, enum way way, size_t s, uint64_t t,
                          const double *score, const double *W, double *z)
{
    static struct made made;
    struct state plain;
    struct query query;
    struct settings settings = settings_of(learner, BY_ETA);
    set(&settings, SETTING_ETA, 1);
    with_base(s, way == BY_BETS && learner->bets->centred, &query);
    start(&plain, learner->name, &settings);
    memcpy(reach(&plain, WIDTH), W, WIDTH * sizeof *W);
    make_round(&made, &query, t, DENSE);
    if (strcmp(learner->name, "dbgd") == 0) {
        set_rival(&made, &plain);
        for (size_t i = 0; i < query.docs; i++) {
            made.score[i] = score[i];
            made.rival[i] += score[i];
        }
    }
    learn_round(&plain, add_feedback(&made, &plain, s));
    for (size_t j = 0; j < WIDTH; j++)
        z[j] = W[j] - plain.w[j];
    learner_close(&plain);
}

/* ---- what it should be ---- */

struct wanted {
    double W[WIDTH], theta[WIDTH];
    struct bets bets[WIDTH];
};

static double capital_of(const struct learner *learner)
{
    return learner->bets->capital * (strcmp(learner->name, "smoothdcg") == 0 ? 0.5 : 1);
}

/* Adaptive steps from the start: on the length of all, or on each. */
static void bet(const struct learner *learner, struct wanted *my, const double *z)
{
    bool each = learner->bets->on == BETS_ON_EACH;
    double square = 0, product = 0, length = 0, k = 0;
    for (size_t j = 0; j < WIDTH; j++) {
        square += z[j] * z[j];
        product += z[j] * (my->W[j] - (j == 0));
    }
    if (!each && square > 0)
        k = bets_take(&my->bets[0], capital_of(learner), sqrt(square), product);
    for (size_t j = 0; j < WIDTH; j++) {
        if (each)
            k = z[j] != 0 ? bets_take(&my->bets[j], capital_of(learner), fabs(z[j]),
                                      z[j] * (my->W[j] - (j == 0))) : 0;
        my->theta[j] -= k * z[j];
        length += my->theta[j] * my->theta[j];
    }
    for (size_t j = 0; j < WIDTH; j++)
        my->W[j] = (j == 0) + my->theta[j] * bets_factor(&my->bets[each ? j : 0],
                                                         each ? fabs(my->theta[j]) : sqrt(length));
}

static void step(const struct learner *learner, enum way way, struct wanted *my, const double *z)
{
    double square = 0;
    if (way == BY_BETS) {
        bet(learner, my, z);
        return;
    }
    for (size_t j = 0; j < WIDTH; j++) {
        my->W[j] -= eta * z[j];
        square += (my->W[j] - (j == 0)) * (my->W[j] - (j == 0));
    }
    for (size_t j = 0; way == IN_BALL && square > radius * radius && j < WIDTH; j++)
        my->W[j] = (j == 0) + (my->W[j] - (j == 0)) * (radius / sqrt(square));
}

/* ---- comparing ---- */

static void compare(const char *name, const double *got, const double *want, size_t n,
                    const char *what, double apart)
{
    for (size_t j = 0; j < n; j++)
        hold(fabs(got[j] - want[j]) <= apart * (1 + fabs(want[j])), name, what, got[j], want[j]);
}

static void compare_scores(const char *name, size_t s, const double *score, const double *W,
                           double apart)
{
    struct query query;
    double want[DOCS] = { 0 };
    with_base(s, false, &query);
    for (size_t i = 0; i < query.docs; i++)
        for (size_t j = 0; j < WIDTH; j++)
            want[i] += W[j] * (double)query.x[i][j];
    compare(name, score, want, query.docs, "score", apart);
}

/* A model in a file: its weights are all of W, and score as the message did. */
static void check_file(struct state *state, const struct wanted *my, double apart, size_t s,
                       uint64_t t, const double *score)
{
    static struct model model;
    struct fault fault = { FAULT_NONE, "" };
    struct scoring scoring = { .learners = learners };
    double again[DOCS], w[WIDTH] = { 1 };
    must(learner_save(state, &model, &fault), &fault);
    must(model_read(&model, &fault), &fault);
    model_weights(&model, w);
    compare(state->learner->name, w, my->W, WIDTH, "weight", apart);
    must(scoring_take(&scoring, &model, &fault), &fault);
    learn(NULL, &scoring, s, t, again);
    hold(memcmp(again, score, sets[s].docs * sizeof *score) == 0, state->learner->name,
         "score of a file", again[0], score[0]);
    scoring_close(&scoring);
}

/* A new state of what an old one wrote, which is then gone. */
static void go_on(struct state *state, enum way way)
{
    static struct model model;
    struct state next;
    struct fault fault = { FAULT_NONE, "" };
    must(learner_save(state, &model, &fault), &fault);
    must(model_read(&model, &fault), &fault);
    begin(&next, state->learner, way);
    must(learner_load(&next, &model, &fault), &fault);
    learner_close(state);
    *state = next;
}

static void check(struct rng *rng, const struct learner *learner, enum way way)
{
    static struct model model;
    struct wanted my = { .W = { 1 } };
    double apart = way == BY_BETS && learner->bets->centred ? 1e-6 : 1e-10;
    struct state state, stopped;
    struct scoring scoring = { .learners = learners, .ring = true };
    struct fault fault = { FAULT_NONE, "" };
    begin(&state, learner, way);
    begin(&stopped, learner, way);
    draw_sets(rng);
    for (uint64_t t = 1; t <= TIMES; t++) {
        double score[DOCS], z[WIDTH];
        size_t s = t % SETS;
        must(learner_publish(&state, &model, t > 1 ? PUBLISH_CHANGES : PUBLISH_WHOLE, &fault),
             &fault);
        must(model_read_message(&model, &fault), &fault);
        must(scoring_take(&scoring, &model, &fault), &fault);
        learn(NULL, &scoring, s, t, score);
        compare_scores(learner->name, s, score, my.W, t > 1 ? apart : 0);
        check_file(&state, &my, apart, s, t, score);
        find_gradient(learner, way, s, t, score, my.W, z);
        step(learner, way, &my, z);
        learn(&state, &scoring, s, t, score);
        learn(&stopped, &scoring, s, t, score);
        go_on(&stopped, way);
        hold(same_learnt(&state, &stopped), learner->name, "stopping and never stopping differ", t,
             way);
    }
    hold(fabs(my.W[1]) > 1e-4, learner->name, "moved", my.W[1], way);
    scoring_close(&scoring);
    learner_close(&state);
    learner_close(&stopped);
}

int main(void)
{
    size_t checked = 0;
    struct rng rng = rng_at(6, RNG_SAMPLE, 1);
    for (size_t i = 0; learners[i]; i++)
        for (enum way way = 0; learners[i]->offset && way < WAYS; way++) {
            if (way == BY_BETS ? !learners[i]->bets : way == IN_BALL &&
                                                      !strchr(learners[i]->letters, 'U'))
                continue;
            check(&rng, learners[i], way);
            checked++;
        }
    hold(checked > 0, "learners by gradient", "checked", checked, 1);
    return wrong ? 1 : 0;
}
