/* Ridge regression on the documents seen, and two ways to explore by its uncertainty. */

#include <math.h>
#include <string.h>

#include "kernels/covariance.h"
#include "learn/learner_step.h"
#include "learn/regressions.h"
#include "learners/learners.h"
#include "math/matrix.h"
#include "math/regression.h"
#include "math/rng.h"

/* How far answers are from what a regression expected of them, which is the unit of a width of
 * exploration that nobody gave. An array of the model, at first all 0: how many answers, and the
 * sum of their squares. */
#define RESIDUALS_COLUMN "residuals"
enum { RESIDUALS = 2 };

static const double usual_width = 0.15; /* in units of sigma */

enum { COUNT, SQUARES };

/* 0.15 sigma, where sigma^2 is estimated as the mean of e^2 / spread over the answers and one 1. So
 * it follows the scale of the answers, and documents are explored before the first. Chosen on
 * MQ2008 and two games among 0.1, 0.15, 0.25 and 0.4, with and without the 1. */
static double residuals_width(const double *residuals)
{
    return usual_width * sqrt((1 + residuals[SQUARES]) / (1 + residuals[COUNT]));
}

enum { INVERSE, LEVEL }; /* the arrays: P, and the weights of the means */

struct ridge {
    struct regression regression;
    bool measures;   /* no width was given: the residuals make one         */
    size_t residual; /* the array of the residuals, where they are measured */
    struct buffer drawn; /* double[dim]: weights drawn for the next round   */
};

/* Of thompson and linucb. */
static int measure_residuals(void *own, struct state *state, struct fault *fault)
{
    const struct array_row row = { RESIDUALS_COLUMN, ARRAY_NUMBERS, SETTINGS, RESIDUALS,
                                   false };
    struct ridge *my = own;
    (void)fault;
    my->measures = !state->settings.set[SETTING_EXPLORATION_WIDTH];
    if (my->measures)
        my->residual = arrays_add(&state->arrays, row);
    return 0;
}

static void close_ridge(void *own)
{
    struct ridge *my = own;
    regression_close(&my->regression);
    buffer_free(&my->drawn);
}

static const struct regression_arrays regression_arrays = { LEVEL, INVERSE, 0, false, 0, NULL };

/* Learns what was seen, and measures how far it is from what was expected. */
static int learn(void *own, struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    struct ridge *my = own;
    struct feedback feedback;
    struct regression *regression = &my->regression;
    learner_regression(regression, state, LEVEL, INVERSE);
    if (learner_feedback(state, round, &feedback, fault) < 0 ||
        learner_answers(feedback.docs, feedback.relevance, fault) < 0 ||
        base_check_strength(state, fault) < 0 ||
        regression_round(regression, x, fault) < 0)
        return -1;
    struct regression_error *error = buffer_for(&state->scratch, x->docs, sizeof *error, fault);
    if (!error) return -1;
    for (size_t h = 0; h < feedback.docs; h++)
        if (regression_finite(regression, feedback.doc[h], fault) < 0) return -1;
    state->begun = true;
    if (base_starts(state))
        base_start(state, regression_arrays, base_kappa(&state->settings), 1);
    if (regression_learn_all(regression, feedback.docs, feedback.doc, feedback.relevance, NULL,
                             error, fault) < 0)
        return -1;
    /* spread is 1 + z'(Z'Z + lambda I)^-1 z: the variance of an answer in units of sigma^2, before
     * it was learnt. */
    for (size_t h = 0; my->measures && h < feedback.docs; h++) {
        state->arrays.at[my->residual][COUNT]++;
        state->arrays.at[my->residual][SQUARES] += error[h].e * error[h].e / error[h].spread;
    }
    if (my->measures && !(isfinite(state->arrays.at[my->residual][COUNT]) &&
                          isfinite(state->arrays.at[my->residual][SQUARES])))
        return fault_data(fault, "the relevances are so large that the sum of squared residuals "
                          "becomes infinite");
    return regression_check(regression, fault);
}

/* w + width P^(1/2) x / lambda^(1/2), x standard normal, drawn anew for each round. */
static const double *draw(void *own, struct state *state, struct fault *fault)
{
    struct ridge *my = own;
    double lambda = state->settings.value[SETTING_TRADEOFF];
    double width = my->measures ? residuals_width(state->arrays.at[my->residual])
                                : state->settings.value[SETTING_EXPLORATION_WIDTH];
    bool plain = state->settings.set[SETTING_PLAIN];
    size_t n = regression_rows(state->dim, plain), step = plain ? 1 : 2;
    double *x = buffer_for(&state->scratch, n, 2 * sizeof *x, fault);
    double *drawn = buffer_for(&my->drawn, state->dim, sizeof *drawn, fault);
    if (!x || !drawn)
        return NULL;
    double *y = x + n;
    uint64_t seed = (uint64_t)state->settings.value[SETTING_SEED];
    struct normals normals = { .rng = rng_at(seed, RNG_POSTERIOR, state->rounds) };
    for (size_t i = 0; i < n; i++)
        x[i] = normal_draw(&normals);
    udu_spread(state->arrays.at[INVERSE], n, x, y);
    for (size_t j = 0; j < state->dim; j++)
        drawn[j] = state->w[j] + width * (y[step * j] / sqrt(lambda));
    return drawn;
}

static int begin(void *own, struct state *state, const struct model *prior, struct fault *fault)
{
    (void)own;
    return prior_regression(state, regression_arrays, prior, fault);
}

static int sums(void *own, struct state *state, enum summing how, struct fault *fault)
{
    (void)own;
    return regression_sums(state, regression_arrays, how, fault);
}

static int add(void *own, struct state *state, struct state *share, struct fault *fault)
{
    (void)own;
    const struct regression_share begun = { share, NULL, base_kappa(&share->settings), -1 };
    return regression_sums_add(state, regression_arrays, &begun, SIZE_MAX, fault);
}

/* Adds what linucb's scoring half takes: with the residuals, where they make the width. */
static int publish(void *own, struct state *state, struct model *model, enum publishing how,
                   struct fault *fault)
{
    const struct ridge *my = own;
    if (scored_publish(own, state, model, how, fault) < 0) return -1;
    return my->measures ? arrays_put(&state->arrays, my->residual, &state->settings, state->dim,
                                     model, fault)
                        : 0;
}

/* linucb's scoring half. */
struct linucb {
    struct scored scored; /* P */
    struct regression regression;
    struct buffer wider; /* P with more features than the model has */
};

static int take(void *own, const struct learner *learner, const struct model *model,
                enum taking how, struct fault *fault)
{
    struct linucb *my = own;
    struct settings *settings = &my->scored.settings;
    double residuals[RESIDUALS];
    if (scored_take(&my->scored, learner, model, how, fault) < 0) return -1;
    if (settings->set[SETTING_EXPLORATION_WIDTH])
        return 0;
    if (model_array(model, RESIDUALS_COLUMN, RESIDUALS, residuals, fault) < 0) return -1;
    settings->value[SETTING_EXPLORATION_WIDTH] = residuals_width(residuals);
    return 0;
}

/* P, as it would be with all of dim features known; it may be the learner's own, and is not
 * changed. NULL after a fault. */
static double *reach(struct linucb *my, size_t dim, bool base, struct fault *fault)
{
    const struct scored *scored = &my->scored;
    bool plain = scored->settings.set[SETTING_PLAIN];
    size_t from = regression_rows(scored->dim, plain), to = regression_rows(dim, plain);
    if (scored->n != udu_size(from) || !scored->settings.set[SETTING_TRADEOFF]) {
        (void)fault_data(fault, "model: linucb needs tradeoff= and inverse:f8[%zu], and one or "
                         "both are missing", udu_size(from));
        return NULL;
    }
    if (dim > learn_linucb.most + base && dim > scored->dim) {
        (void)fault_data(fault, "the round has %zu features, but linucb takes at most %zu",
                         dim - base, learn_linucb.most);
        return NULL;
    }
    if (to == from)
        return (double *)scored->array;
    double *a = buffer_for(&my->wider, udu_size(to), sizeof *a, fault);
    if (a)
        memset(a, 0, udu_size(to) * sizeof *a);
    if (a && from > 0)
        memcpy(a, scored->array, udu_size(from) * sizeof *a);
    for (size_t i = from; a && i < to; i++)
        a[udu_size(i + 1) - 1] = 1;
    return a;
}

/* s = w.x becomes an upper confidence bound. */
static int widen(void *own, const struct ranking *ranking, struct fault *fault)
{
    struct linucb *my = own;
    const struct settings *settings = &my->scored.settings;
    struct regression *regression = &my->regression;
    const struct matrix *x = ranking->x;
    double *s = ranking->s;
    size_t width = matrix_width(x);
    regression->dim = width > my->scored.dim ? width : my->scored.dim;
    regression->plain = settings->set[SETTING_PLAIN];
    regression->lambda = settings->value[SETTING_TRADEOFF];
    regression->inverse = reach(my, regression->dim, ranking->base, fault);
    if (!regression->inverse || regression_round(regression, x, fault) < 0) return -1;
    for (size_t i = 0; i < x->docs; i += COVARIANCE_ABREAST) {
        double variance[COVARIANCE_ABREAST];
        regression_variances(regression, i, variance);
        for (size_t d = 0; d < COVARIANCE_ABREAST && i + d < x->docs; d++)
            s[i + d] += settings->value[SETTING_EXPLORATION_WIDTH] * sqrt(variance[d]);
    }
    return finite_scores(x->docs, s, "the model's P is not a covariance, or one of its features is "
                         "too large", fault);
}

static void leave(void *own)
{
    struct linucb *my = own;
    scored_leave(&my->scored);
    regression_close(&my->regression);
    buffer_free(&my->wider);
}

#define ARRAYS \
    { [INVERSE] = { "inverse", ARRAY_UDU, SETTING_PLAIN, 0 }, \
      [LEVEL] = { "level", ARRAY_VECTORS, SETTINGS, 0 } }
#define OWN .learning = sizeof(struct ridge), .sums = sums, .add = add, \
    .close = close_ridge

const struct learner learn_ridge = {
    .name = "ridge", .letters = "CIWp", .least = 1, .learn = learn, .begin = begin,
    .seen = "-k 1",
    .arrays = ARRAYS, OWN,
    .preset = { [SETTING_TRADEOFF] = 1 },
    .most = 4096, .made = "scale", .ranked = true,
};

const struct learner learn_thompson = {
    .name = "thompson", .letters = "CISWps", .least = 1, .learn = learn, .begin = begin,
    .seen = "-k 1",
    .arrays = ARRAYS, OWN,
    .preset = { [SETTING_TRADEOFF] = 1, [SETTING_SEED] = 1 },
    .most = 4096, .made = "scale", .ranked = true, .start = measure_residuals, .weights = draw,
};

const struct learner learn_linucb = {
    .name = "linucb", .letters = "CISWp", .least = 1, .learn = learn, .begin = begin,
    .seen = "-k 1",
    .arrays = ARRAYS, OWN,
    .preset = { [SETTING_TRADEOFF] = 1 },
    .most = 4096, .made = "scale", .ranked = true, .start = measure_residuals, .publish = publish,
    .scoring = sizeof(struct linucb), .take = take, .rank = widen, .by = BY_MORE,
    .leave = leave,
};
