/*
 * Weights in a ball: every step against the projection by its definition, worked out in long
 * double; the length after many thousand steps of all sizes; dense and sparse features, and runs
 * that are stopped after every step, to the bit; messages of changes against whole ones; and the
 * sum of squares they rest on, however its vector came about.
 */
#include "learn/descent.h"
#include "learn/learner_step.h"
#include "learn/scoring.h"
#include "math/ball.h"
#include "rounds.h"

enum { STEPS = 20000, WIDE = 70000, CHANGES = 400 };

/* ---- the sum of squares ---- */

static long double add_squares(const double *v, size_t n)
{
    long double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += (long double)v[j] * v[j];
    return sum;
}

/* What a vector has that never changed. */
static double square_of(const double *v, size_t n)
{
    struct norm norm = { 0 };
    struct fault fault = { FAULT_NONE, "" };
    must(norm_reach(&norm, n, &fault), &fault);
    norm_take(&norm, v, n);
    double square = norm_square(&norm);
    norm_close(&norm);
    return square;
}

/* Grown to n and changed at a few places at a time, or in front. */
static void check_norm(struct rng *rng, size_t n)
{
    static double v[WIDE];
    uint32_t index[CHANGES];
    struct norm norm = { 0 };
    struct fault fault = { FAULT_NONE, "" };
    memset(v, 0, sizeof v);
    for (size_t round = 0, width = 0; round < 60; round++) {
        size_t changes = 1 + rng_below(rng, round % 2 ? 5 : CHANGES);
        width += rng_below(rng, 4) ? (n - width) / 7 : 0;
        width = round > 40 || width == 0 ? n : width;
        must(norm_reach(&norm, width, &fault), &fault);
        for (size_t e = 0; e < changes; e++) {
            index[e] = rng_below(rng, (uint32_t)width);
            v[index[e]] = draw_unit(rng) * exp2(rng_below(rng, 300) - 150.0);
        }
        norm_take_changes(&norm, v, index, changes);
        size_t front = rng_below(rng, (uint32_t)width + 1);
        for (size_t j = 0; round % 5 == 0 && j < front; j++)
            v[j] = draw_unit(rng);
        if (round % 5 == 0)
            norm_take(&norm, v, front);
        double got = norm_square(&norm), again = square_of(v, width);
        long double want = add_squares(v, width);
        hold(got == again, "norm", "differs with how it came about", got, again);
        hold(fabsl(got - want) <= 4e-15L * want, "norm", "sum", got, want);
    }
    norm_close(&norm);
}

/* ---- steps ---- */

struct fall {
    struct state state;
    struct query query;
    double g[DOCS];
};

static void start_ball(struct state *state, double eta, double radius)
{
    struct settings settings = { .set = { false } };
    set(&settings, SETTING_ETA, eta);
    set(&settings, SETTING_RADIUS, radius);
    start(state, "kl", &settings);
}

/* Mostly small steps and now and then one far out of the ball, with some documents left out. */
static void draw_step(struct rng *rng, struct query *query, double *g, size_t step)
{
    double size = exp2(rng_below(rng, 20) - 15.0);
    draw_features(rng, query, 1 + rng_below(rng, DOCS), 1 + rng_below(rng, DIM), draw_unit);
    draw_labels(rng, query, 3);
    if (step % 50 == 49)
        size = exp2(rng_below(rng, 300));
    if (step % 1000 == 999)
        size = 0x1p700; /* whose square no double holds */
    for (size_t i = 0; i < query->docs; i++)
        g[i] = rng_below(rng, 3) ? size * draw_unit(rng) : 0;
}

static void step_by(struct state *state, const struct query *query, const double *g, enum form form)
{
    static struct made made;
    struct matrix x;
    struct fault fault = { FAULT_NONE, "" };
    must(round_matrix(make_round(&made, query, 1, form), &x, &fault), &fault);
    must(learner_reach(state, matrix_width(&x), &fault), &fault);
    must(descent_step(state->own, state, &x, NULL, g, &fault), &fault);
    state->begun = false; /* it ends here */
}

/* The weights that score, as they are written down. */
static void write_weights(struct state *state, double *w)
{
    static struct model model;
    struct fault fault = { FAULT_NONE, "" };
    memset(w, 0, DIM * sizeof *w);
    must(learner_save(state, &model, &fault), &fault);
    memcpy(w, record_column(&model.record, "w")->data, model.dim * sizeof *w);
}

/* w - eta X'g, and its length; `off` is what its sums may be off by. */
static long double descend(const struct query *query, const double *g, double eta, long double *w,
                           long double *off)
{
    long double sum = 0, mass = 0;
    for (size_t j = 0; j < DIM; j++) {
        for (size_t i = 0; j < query->dim && i < query->docs; i++) {
            long double z = (long double)eta * g[i] * query->x[i][j];
            w[j] -= z;
            mass += fabsl(z);
        }
        sum += w[j] * w[j];
    }
    *off = 2e-15L * (mass + sqrtl(sum));
    return sqrtl(sum);
}

/* One step, from the weights as they were. Returns whether it left the ball. */
static bool check_step(struct state *state, const struct query *query, const double *g)
{
    double eta = state->settings.value[SETTING_ETA], w[DIM];
    double radius = state->settings.value[SETTING_RADIUS];
    long double want[DIM], off;
    write_weights(state, w);
    for (size_t j = 0; j < DIM; j++)
        want[j] = w[j];
    long double length = descend(query, g, eta, want, &off), by = 1;
    if (length > radius)
        by = radius / length;
    step_by(state, query, g, SPARSE);
    write_weights(state, w);
    for (size_t j = 0; j < DIM; j++)
        hold(fabsl(w[j] - want[j] * by) <= off * by + 1e-15L * radius, "ball", "weight", w[j],
             want[j] * by);
    long double got = sqrtl(add_squares(w, DIM));
    hold(got <= radius * (1 + 1e-12L), "ball", "too long", got, radius);
    hold(by == 1 || got >= radius * (1 - 1e-12L) || off * by > 1e-13L * radius, "ball",
         "not on the edge", got, radius);
    return by < 1;
}

static void check_projection(struct rng *rng, double eta, double radius)
{
    static struct fall fall;
    size_t out = 0, gathered = 0;
    start_ball(&fall.state, eta, radius);
    for (size_t step = 0; step < STEPS; step++) {
        double scale = fall.state.scale;
        draw_step(rng, &fall.query, fall.g, step);
        out += check_step(&fall.state, &fall.query, fall.g);
        gathered += fall.state.scale > scale;
    }
    printf("ball of %g: %zu steps, %zu out of it, %zu gathered\n", radius, (size_t)STEPS, out,
           gathered);
    hold(out > STEPS / 50 && out < STEPS, "ball", "steps out of it", out, STEPS);
    hold(gathered > STEPS / 1000, "ball", "gathered", gathered, STEPS);
    learner_close(&fall.state);
}

/* ---- the same bits ---- */

/* A new state of what an old one wrote, which is then gone. */
static void go_on(struct state *state)
{
    static struct model model;
    struct state next;
    struct fault fault = { FAULT_NONE, "" };
    must(learner_save(state, &model, &fault), &fault);
    must(model_read(&model, &fault), &fault);
    start_ball(&next, state->settings.value[SETTING_ETA], state->settings.value[SETTING_RADIUS]);
    must(learner_load(&next, &model, &fault), &fault);
    learner_close(state);
    *state = next;
}

/* Dense, sparse, sparse with zeros written down, and sparse and stopped after every step. */
static void check_bits(struct rng *rng, double eta, double radius)
{
    static struct query query;
    struct state state[FORMS + 1];
    double g[DOCS];
    for (size_t f = 0; f <= FORMS; f++)
        start_ball(&state[f], eta, radius);
    for (size_t step = 0; step < STEPS / 2; step++) {
        draw_step(rng, &query, g, step);
        for (size_t f = 0; f <= FORMS; f++)
            step_by(&state[f], &query, g, f < FORMS ? (enum form)f : SPARSE);
        go_on(&state[FORMS]);
        for (size_t f = 1; f <= FORMS; f++)
            hold(same_learnt(&state[0], &state[f]), "ball",
                 f < FORMS ? "dense and sparse differ" : "stopping and never stopping differ", f,
                 step);
    }
    for (size_t f = 0; f <= FORMS; f++)
        learner_close(&state[f]);
}

/* ---- messages ---- */

/* What score makes of the messages so far, against the learner's own scores. */
static void check_scores(struct rng *rng, struct scoring *scoring, struct state *state)
{
    static struct made made;
    static struct query query;
    double s[DOCS], w[DIM], again[DOCS];
    struct matrix x;
    struct fault fault = { FAULT_NONE, "" };
    enum form form = (enum form)rng_below(rng, FORMS);
    draw_features(rng, &query, DOCS, 1 + rng_below(rng, DIM), draw_unit);
    must(round_matrix(make_round(&made, &query, 1, form), &x, &fault), &fault);
    must(scoring_round(scoring, &made.round, ROUND_SCORE, NULL, &fault), &fault);
    take_column(&made, ROUND_SCORE, made.round.score, s);
    state->live = NULL;
    const double *own = learner_score(state, &x, &fault);
    hold(own && memcmp(own, s, sizeof s) == 0, "message", "scores", s[0], own ? own[0] : NAN);
    write_weights(state, w);
    matrix_times(&x, w, 1, DIM, again, NULL);
    hold(memcmp(again, s, sizeof s) == 0, "message", "the file's weights score otherwise", s[0],
         again[0]);
}

static void check_messages(struct rng *rng, double radius)
{
    static struct model model;
    static struct query query;
    struct state state;
    struct scoring scoring = { .learners = learners };
    double g[DOCS];
    size_t changes = 0;
    struct fault fault = { FAULT_NONE, "" };
    start_ball(&state, 0.1, radius);
    if (radius == 0)
        state.settings.set[SETTING_RADIUS] = false;
    must(learner_publish(&state, &model, PUBLISH_WHOLE, &fault), &fault);
    for (size_t step = 0; step < STEPS / 4; step++) {
        must(model_read_message(&model, &fault), &fault);
        must(scoring_take(&scoring, &model, &fault), &fault);
        changes += model.w == NULL;
        check_scores(rng, &scoring, &state);
        draw_step(rng, &query, g, radius > 0 ? step : 0);
        for (size_t i = 0; i < query.docs; i++) /* or all weights would change */
            for (size_t j = 0; j < query.dim; j++)
                query.x[i][j] = rng_below(rng, 20) ? 0 : query.x[i][j];
        step_by(&state, &query, g, step % 7 ? SPARSE : DENSE);
        must(learner_publish(&state, &model, PUBLISH_CHANGES, &fault), &fault);
    }
    printf("messages: %zu, %zu of changes\n", (size_t)STEPS / 4, changes);
    hold(changes > STEPS / 20 && changes < STEPS / 4 * 6 / 7, "message", "of changes", changes,
         STEPS / 4);
    scoring_close(&scoring);
    learner_close(&state);
}

int main(void)
{
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    for (size_t n = 1; n < WIDE; n = n * 3 + rng_below(&rng, 20))
        check_norm(&rng, n);
    check_norm(&rng, 256 * 16);
    check_norm(&rng, 256 * 16 + 1);
    for (double radius = 1e-3; radius < 1e4; radius *= 77) {
        check_projection(&rng, 0.1, radius);
        check_bits(&rng, 0.1, radius);
        check_messages(&rng, radius);
    }
    check_messages(&rng, 0);
    if (wrong)
        fprintf(stderr, "ball: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
