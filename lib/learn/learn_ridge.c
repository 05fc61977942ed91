/* Ridge regression on the documents seen, and two ways to explore by its uncertainty. And cascading
 * bandits: the same from clicks, down to the first (Zong, Ni, Sung, Ke, Wen & Kveton 2016,
 * "Cascading Bandits for Large-Scale Recommendation Problems", Algorithm 1). */
#include "learn/learn_ridge.h"

#include <math.h>
#include <string.h>

#include "learn/learner_step.h"
#include "learn/residuals.h"
#include "math/finite.h"
#include "math/normal.h"
#include "math/regression.h"
#include "math/udu.h"

/* The arrays: P, the weights of the means, and, where no width is given, the residuals. */
enum { INVERSE, LEVEL, RESIDUAL };

/* Learns what was seen, and measures how far it is from what was expected. */
static int learn(struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    struct feedback feedback;
    struct regression *my = learner_regression(state, state->w, LEVEL, INVERSE);
    if (learner_feedback(state, round, &feedback, fault) < 0 || regression_round(my, x, fault) < 0)
        return -1;
    struct regression_error *error = buffer_for(&state->scratch, x->docs, sizeof *error, fault);
    if (!error)
        return -1;
    for (size_t h = 0; h < feedback.docs; h++)
        if (regression_finite(my, feedback.doc[h], fault) < 0)
            return -1;
    state->begun = true;
    for (size_t h = 0; h < feedback.docs; h += REGRESSION_AT_ONCE) {
        size_t left = feedback.docs - h, n = left < REGRESSION_AT_ONCE ? left : REGRESSION_AT_ONCE;
        if (regression_learn_all(my, n, feedback.doc + h, feedback.relevance + h, NULL, error + h,
                                 fault) < 0 ||
            long_work(&state->work, n * learner_steps(state, x), fault) < 0)
            return -1;
    }
    for (size_t h = 0; learner_measures(state) && h < feedback.docs; h++)
        residuals_count(state->arrays[RESIDUAL], error[h].e, error[h].spread);
    if (learner_measures(state) && !residuals_finite(state->arrays[RESIDUAL]))
        return fault_data(fault, "its answers would make the sum of squared residuals infinite");
    return regression_check(my, fault);
}

/* What was clicked on is worth 1, and what was passed by on the way to the first click 0. */
static int learn_cascade(struct state *state, const struct matrix *x, const struct round *round,
                         struct fault *fault)
{
    struct regression *my = learner_regression(state, state->w, LEVEL, INVERSE);
    const struct learner *learner = state->learner;
    if (feedback_clicks(round, learner->name, learner->least, fault) < 0 ||
        regression_round(my, x, fault) < 0)
        return -1;
    for (size_t a = 0; a < feedback_cascade(round); a++)
        if (regression_finite(my, round->order[a], fault) < 0)
            return -1;
    state->begun = true;
    for (size_t a = 0; a < feedback_cascade(round); a++)
        if (regression_learn(my, round->order[a], round->seen[a], 1, fault) < 0 ||
            long_work(&state->work, learner_steps(state, x), fault) < 0)
            return -1;
    return regression_check(my, fault);
}

static double width_of(const struct state *state)
{
    return learner_measures(state) ? residuals_width(state->arrays[RESIDUAL])
                                   : state->settings.value[SETTING_EXPLORATION_WIDTH];
}

/* w + width P^(1/2) x / lambda^(1/2), x standard normal, drawn anew for each round. */
static const double *draw(struct state *state, struct fault *fault)
{
    double width = width_of(state);
    struct regression *my = learner_regression(state, state->w, LEVEL, INVERSE);
    size_t n = regression_rows(state->dim, my->plain), step = my->plain ? 1 : 2;
    double *x = buffer_for(&state->scratch, n, 2 * sizeof *x, fault);
    double *drawn = buffer_for(&state->drawn, state->dim, sizeof *drawn, fault);
    if (!x || !drawn)
        return NULL;
    double *y = x + n;
    uint64_t seed = (uint64_t)state->settings.value[SETTING_SEED];
    struct normals normals = { .rng = rng_at(seed, RNG_POSTERIOR, state->rounds) };
    for (size_t i = 0; i < n; i++)
        x[i] = normal_draw(&normals);
    udu_spread(my->inverse, n, x, y);
    for (size_t j = 0; j < state->dim; j++)
        drawn[j] = state->w[j] + width * (y[step * j] / sqrt(my->lambda));
    return drawn;
}

/* P, as it would be with all the round's features known; it may be the learner's own, and is not
 * changed. NULL after a fault. */
static double *reach(const struct ring_extras *extras, const struct regression *my,
                     struct fault *fault)
{
    size_t from = regression_rows(extras->dim, my->plain), to = regression_rows(my->dim, my->plain);
    if (extras->n != udu_size(from) || !extras->settings->set[SETTING_TRADEOFF] ||
        !extras->settings->set[SETTING_EXPLORATION_WIDTH]) {
        (void)fault_data(fault, "model: linucb needs tradeoff=, width= and inverse:f8[%zu], and "
                         "not all are there", udu_size(from));
        return NULL;
    }
    if (my->dim > learn_linucb.most && my->dim > extras->dim) {
        (void)fault_data(fault, "it has %zu features, more than the %zu that linucb can have",
                         my->dim, learn_linucb.most);
        return NULL;
    }
    if (extras->array && to == from)
        return (double *)extras->array;
    double *a = buffer_for(extras->numbers, udu_size(to), sizeof *a, fault);
    if (a && extras->array && from > 0)
        memcpy(a, extras->array, udu_size(from) * sizeof *a);
    for (size_t e = udu_size(from); a && e < udu_size(to); e++)
        a[e] = 0;
    for (size_t i = from; a && i < to; i++)
        a[udu_size(i + 1) - 1] = 1;
    return a;
}

/* s = w.x becomes an upper confidence bound. */
static int widen(const struct matrix *x, const struct round *round,
                 const struct ring_extras *extras, double *s, double *index, struct fault *fault)
{
    (void)round, (void)index;
    const double *value = extras->settings->value;
    struct regression my = { .dim = matrix_width(x), .plain = extras->settings->set[SETTING_PLAIN],
                             .lambda = value[SETTING_TRADEOFF], .buffer = *extras->buffer };
    if (my.dim < extras->dim)
        my.dim = extras->dim;
    my.inverse = reach(extras, &my, fault);
    int result = my.inverse ? regression_round(&my, x, fault) : -1;
    *extras->buffer = my.buffer;
    for (size_t i = 0; result == 0 && i < x->docs; i += VARIANCES_ABREAST) {
        double variance[VARIANCES_ABREAST];
        regression_variances(&my, i, variance);
        for (size_t d = 0; d < VARIANCES_ABREAST && i + d < x->docs; d++)
            s[i + d] += value[SETTING_EXPLORATION_WIDTH] * sqrt(variance[d]);
    }
    return result < 0 ? -1 : finite_scores(x->docs, s, "the model's P is not a covariance, "
                                           "or one of its features is too large", fault);
}

#define ARRAYS \
    { [INVERSE] = { "inverse", ARRAY_UDU, SETTING_PLAIN, 0 }, \
      [LEVEL] = { "level", ARRAY_VECTORS, SETTINGS, 0 } }

const struct learner learn_ridge = {
    .name = "ridge", .letters = "Cp", .least = 1, .learn = learn, .arrays = ARRAYS,
    .preset = { [SETTING_TRADEOFF] = 1 },
    .most = 4096, .made = "scale",
};

const struct learner learn_thompson = {
    .name = "thompson", .letters = "CSps", .least = 1, .learn = learn, .arrays = ARRAYS,
    .preset = { [SETTING_TRADEOFF] = 1, [SETTING_SEED] = 1 },
    .most = 4096, .made = "scale", .measures = true,
    .weights = draw,
};

const struct learner learn_linucb = {
    .name = "linucb", .letters = "CSp", .least = 1, .learn = learn, .arrays = ARRAYS,
    .preset = { [SETTING_TRADEOFF] = 1 },
    .most = 4096, .made = "scale", .measures = true,
    .rank = widen,
};

/* Its sigma is the width, and its M^-1 is sigma^2 (X'X + lambda I)^-1 with lambda = sigma^2. */
const struct learner learn_cascade_lints = {
    .name = "cascade-lints", .letters = "CSs", .least = 1, .learn = learn_cascade,
    .arrays = ARRAYS,
    .preset = { [SETTING_TRADEOFF] = 1, [SETTING_EXPLORATION_WIDTH] = 1, [SETTING_SEED] = 1,
                [SETTING_PLAIN] = 1 },
    .most = 4096,
    .weights = draw,
};
