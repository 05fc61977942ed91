#include "learn/learner.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/unaligned.h"
#include "math/finite.h"
#include "math/real.h"
#include "math/udu.h"

static bool takes(const struct learner *learner, char letter)
{
    return strchr(learner->letters, letter) != NULL;
}

/* eta itself or the horizon it is made of, one of the two. */
static int settle_eta(struct state *state, struct fault *fault)
{
    struct settings *s = &state->settings;
    if (!takes(state->learner, 'T') || s->set[SETTING_ETA] != s->set[SETTING_HORIZON]) {
        if (s->set[SETTING_HORIZON])
            s->value[SETTING_ETA] = state->learner->eta(s->value[SETTING_HORIZON]);
        s->set[SETTING_ETA] = takes(state->learner, 'e');
        return 0;
    }
    return fault_usage(fault, s->set[SETTING_ETA]
                                  ? "-e and -T both say eta: give one of them"
                                  : "%s needs its step's size: -e eta, or -T horizon",
                       state->learner->name);
}

int learner_start(struct state *state, const struct learner *learner,
                  const struct settings *settings, size_t most, struct fault *fault)
{
    state->learner = learner;
    state->settings = *settings;
    state->most = most ? most : learner->most ? learner->most : LEARNER_MOST;
    for (size_t i = 0; i < SETTINGS; i++) {
        if (settings->set[i] && !takes(learner, settings_known[i].letter))
            return fault_usage(fault, "%s does not take -%c (%s)", learner->name,
                               settings_known[i].letter, settings_known[i].what);
        if (!settings->set[i] && learner->preset[i] != 0) {
            state->settings.set[i] = true;
            state->settings.value[i] = learner->preset[i];
        }
    }
    if (settle_eta(state, fault) < 0)
        return -1;
    ball_start(&state->ball, state->settings.value[SETTING_RADIUS]);
    return learner_reach(state, 0, fault);
}

void learner_close(struct state *state)
{
    ball_close(&state->ball);
    regression_close(&state->regression);
    buffer_free(&state->drawn);
    buffer_free(&state->weights);
    buffer_free(&state->gradient);
    buffer_free(&state->changed);
    buffer_free(&state->spare);
    buffer_free(&state->scores);
    buffer_free(&state->scratch);
    buffer_free(&state->places);
    buffer_free(&state->pairs);
    for (size_t i = 0; i < ARRAYS_MOST; i++)
        buffer_free(&state->array_buffers[i]);
}

/* The rows and columns of an array that is kept, in a model of dim weights. */
struct extent {
    size_t rows, columns;
};

/* The rows of a factor. */
static size_t side(const struct state *state, const struct state_array *arrays, size_t dim)
{
    return regression_rows(dim, state->settings.set[arrays->n]);
}

static struct extent extent(const struct state *state, const struct state_array *arrays, size_t dim)
{
    size_t n = arrays->n == SETTINGS ? 1 : (size_t)state->settings.value[arrays->n];
    if (arrays->shape == ARRAY_COUNT)
        return (struct extent){ 1, 1 };
    if (arrays->shape == ARRAY_NUMBERS)
        return (struct extent){ 1, n };
    if (arrays->shape == ARRAY_UDU)
        return (struct extent){ 1, udu_size(side(state, arrays, dim)) };
    return (struct extent){ arrays->shape == ARRAY_SQUARE ? dim : n, dim };
}

/* An array from one extent to another that is no smaller, its rows moved apart, last first. */
static double *grow(struct buffer *buffer, struct extent from, struct extent to,
                    struct fault *fault)
{
    if (to.columns && to.rows > SIZE_MAX / sizeof(double) / to.columns) {
        fault_memory(fault, SIZE_MAX);
        return NULL;
    }
    double *array = buffer_for(buffer, to.rows * to.columns, sizeof *array, fault);
    if (!array)
        return NULL;
    for (size_t r = to.rows; r-- > 0;) {
        size_t here = r < from.rows ? from.columns : 0;
        if (r > 0)
            memmove(array + r * to.columns, array + r * from.columns, here * sizeof *array);
        memset(array + r * to.columns + here, 0, (to.columns - here) * sizeof *array);
    }
    return array;
}

/* The diagonal of a factor's new columns. */
static void extend(double *array, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        array[udu_size(i + 1) - 1] = 1;
}

static int reach_arrays(struct state *state, size_t width, struct fault *fault)
{
    const struct state_array *arrays = state->learner->arrays;
    for (size_t i = 0; i < ARRAYS_MOST && arrays[i].name; i++) {
        struct extent from = extent(state, &arrays[i], state->dim);
        if (!state->arrays[i])
            from.rows = from.columns = 0;
        double *array =
            grow(&state->array_buffers[i], from, extent(state, &arrays[i], width), fault);
        if (!array)
            return -1;
        state->arrays[i] = array;
        for (size_t j = from.rows; arrays[i].shape == ARRAY_SQUARE && j < width; j++)
            array[j * width + j] = 1;
        if (arrays[i].shape == ARRAY_UDU)
            extend(array, from.columns ? side(state, &arrays[i], state->dim) : 0,
                   side(state, &arrays[i], width));
    }
    return 0;
}

int learner_reach(struct state *state, size_t width, struct fault *fault)
{
    if (width <= state->dim && state->w)
        return 0;
    if (width > state->most)
        return fault_data(fault, "it has %zu features, more than the %zu weights a model may "
                          "grow to: say -d %zu if that is meant", width, state->most, width);
    struct extent from = { 1, state->dim }, to = { 1, width };
    double *w = grow(&state->weights, from, to, fault);
    double *z = grow(&state->gradient, from, to, fault);
    if (!w || !z || ball_reach(&state->ball, width, fault) < 0 ||
        reach_arrays(state, width, fault) < 0)
        return -1;
    state->w = w;
    state->dim = width;
    return 0;
}

/* What the learner ranks by beside the weights. */
static int put_extras(const struct state *state, struct model *model, struct fault *fault)
{
    if (!state->learner->rank && !state->learner->rival)
        return 0;
    if (settings_save(&state->settings, model, fault) < 0)
        return -1;
    if (!state->learner->rank)
        return 0;
    struct extent e = extent(state, &state->learner->arrays[0], state->dim);
    return model_put(model, state->learner->arrays[0].name, e.columns, state->arrays[0], fault);
}

int learner_publish(struct state *state, struct model *model, struct fault *fault)
{
    const struct learner *learner = state->learner;
    const double *w = learner->weights ? learner->weights(state, fault) : state->w;
    if (!w || model_start(model, learner->name, state->rounds, state->dim, fault) < 0)
        return -1;
    int put = state->ball.radius > 0 ? model_put_scaled(model, w, &state->ball.scale, fault)
                                     : model_put_weights(model, w, fault);
    return put < 0 ? -1 : put_extras(state, model, fault);
}

int learner_publish_changes(struct state *state, struct model *model, struct fault *fault)
{
    const uint32_t *index = state->changed.at;
    size_t n = state->n_changed;
    if (!state->changes_known ||
        state->dim < n + n / 2) /* a change takes half as much again as a weight */
        return learner_publish(state, model, fault);
    double *value = buffer_for(&state->spare, n, sizeof *value, fault);
    if (!value)
        return -1;
    for (size_t i = 0; i < n; i++)
        value[i] = state->w[index[i]];
    const double *scale = state->ball.radius > 0 ? &state->ball.scale : NULL;
    if (model_start(model, state->learner->name, state->rounds, state->dim, fault) < 0 ||
        model_put_changes(model, n, index, value, scale, fault) < 0)
        return -1;
    return put_extras(state, model, fault);
}

/* The weights in a ball: what scores, and what it is made of. */
static int save_ball(struct state *state, struct model *model, struct fault *fault)
{
    double *w = buffer_for(&state->spare, state->dim, sizeof *w, fault);
    if (!w)
        return -1;
    for (size_t j = 0; j < state->dim; j++)
        w[j] = state->ball.scale * state->w[j];
    return model_put_weights(model, w, fault) < 0 ||
                   model_put_scaled(model, state->w, &state->ball.scale, fault) < 0
               ? -1
               : 0;
}

int learner_save(struct state *state, struct model *model, struct fault *fault)
{
    const struct state_array *arrays = state->learner->arrays;
    if (model_start(model, state->learner->name, state->rounds, state->dim, fault) < 0 ||
        (state->ball.radius > 0 ? save_ball(state, model, fault)
                                : model_put_weights(model, state->w, fault)) < 0 ||
        settings_save(&state->settings, model, fault) < 0)
        return -1;
    for (size_t i = 0; i < ARRAYS_MOST && arrays[i].name; i++) {
        struct extent e = extent(state, &arrays[i], state->dim);
        if (model_put(model, arrays[i].name, e.rows * e.columns, state->arrays[i], fault) < 0)
            return -1;
    }
    return 0;
}

/* Does the model have what is kept, as long as its weights say? Asked before room is made. */
static int check_arrays(const struct state *state, const struct model *model, struct fault *fault)
{
    const struct state_array *arrays = state->learner->arrays;
    for (size_t i = 0; i < ARRAYS_MOST && arrays[i].name; i++) {
        struct extent e = extent(state, &arrays[i], model->dim);
        if (e.columns && e.rows > SIZE_MAX / sizeof(double) / e.columns)
            return fault_memory(fault, SIZE_MAX);
        if (!model_has(model, arrays[i].name, e.rows * e.columns, fault))
            return -1;
    }
    return state->ball.radius <= 0 || (model_has(model, "direction", model->dim, fault) &&
                                       model_has(model, "scale", 1, fault))
               ? 0
               : -1;
}

static int load_array(struct state *state, size_t i, const struct model *model,
                     struct fault *fault)
{
    const struct state_array *arrays = &state->learner->arrays[i];
    struct extent e = extent(state, arrays, state->dim);
    double *array = state->arrays[i];
    if (model_array(model, arrays->name, e.rows * e.columns, array, fault) < 0)
        return -1;
    double most = arrays->n == SETTINGS ? (double)RECORD_MOST : state->settings.value[arrays->n];
    if (arrays->shape == ARRAY_COUNT && !(*array >= 0 && *array <= most && *array == floor(*array)))
        return fault_data(fault, "model: %s is %.17g, not a whole number from 0 to %.0f",
                          arrays->name, *array, most);
    return 0;
}

/* What the weights are made of must make them, or the run would go on from others. */
static int load_ball(struct state *state, const struct model *model, struct fault *fault)
{
    double scale;
    if (model_array(model, "direction", state->dim, state->w, fault) < 0 ||
        model_array(model, "scale", 1, &scale, fault) < 0)
        return -1;
    if (!ball_resume(&state->ball, state->w, scale))
        return fault_data(fault, "model: scale is %.17g, which is none for its direction and "
                          "radius %.17g", scale, state->ball.radius);
    for (size_t j = 0; j < state->dim; j++) {
        double w = unaligned_f8((const unsigned char *)model->w + j * sizeof w);
        if (w != scale * state->w[j])
            return fault_data(fault, "model: weight %zu is %.17g, where scale times direction is "
                              "%.17g", j, w, scale * state->w[j]);
    }
    return 0;
}

int learner_load(struct state *state, const struct model *model, struct fault *fault)
{
    const struct state_array *arrays = state->learner->arrays;
    if (strcmp(model->learner, LEARNER_FIXED) == 0)
        return fault_data(fault, "its weights are fixed: they came from text, without what a "
                          "learner keeps to go on: learn into another file");
    if (strcmp(model->learner, state->learner->name) != 0)
        return fault_data(fault, "it is a model of %.40s, this run learns with %s: use -a %.40s, "
                          "or another file", model->learner, state->learner->name, model->learner);
    if (settings_compare(&state->settings, model, fault) < 0 ||
        check_arrays(state, model, fault) < 0 || learner_reach(state, model->dim, fault) < 0)
        return -1;
    for (size_t i = 0; i < ARRAYS_MOST && arrays[i].name; i++)
        if (load_array(state, i, model, fault) < 0)
            return -1;
    state->rounds = model->rounds;
    if (state->ball.radius > 0)
        return load_ball(state, model, fault);
    model_weights(model, state->w);
    return 0;
}

double learner_eta_known(double T)
{
    return 1 / sqrt(T);
}

double learner_eta_estimated(double T)
{
    double root = real_cbrt(T);
    return 1 / (root * root);
}

static int check_weight(const struct state *state, size_t j, struct fault *fault)
{
    if (isfinite(state->w[j]))
        return 0;
    return fault_data(fault, "its step would make weight %zu %s: the weights run off%s", j,
                      isnan(state->w[j]) ? "NaN" : "infinite",
                      takes(state->learner, 'U') ? "; a smaller -e, or a ball (-U), keeps them "
                                                   "finite"
                                                 : "");
}

int learner_check(const struct state *state, struct fault *fault)
{
    bool finite = unaligned_finite(state->w, state->dim);
    for (size_t j = 0; !finite && j < state->dim; j++)
        if (check_weight(state, j, fault) < 0)
            return -1;
    return 0;
}

int learner_learn(struct state *state, const struct round *round, struct fault *fault)
{
    struct matrix x;
    if (round_features(round, &x, fault) < 0 ||
        learner_reach(state, matrix_width(&x), fault) < 0)
        return -1;
    state->live = round->live ? round->score : NULL;
    state->changes_known = false;
    if (state->learner->learn(state, &x, round, fault) < 0)
        return -1;
    state->rounds++;
    return 0;
}

struct regression *learner_regression(struct state *state, double *w, size_t level,
                                      size_t inverse)
{
    struct regression *my = &state->regression;
    my->dim = state->dim;
    my->plain = state->settings.set[SETTING_PLAIN];
    my->lambda = state->settings.value[SETTING_TRADEOFF];
    my->w = w;
    my->level = state->arrays[level];
    my->inverse = state->arrays[inverse];
    return my;
}

int learner_hear(struct state *state, const struct round *round, struct feedback *feedback,
                 struct fault *fault)
{
    return feedback_documents(feedback, round, state->learner->name, state->learner->least,
                           &state->places, fault);
}

double *learner_score(struct state *state, const struct matrix *x, struct fault *fault)
{
    double *s = buffer_for(&state->scores, x->docs, sizeof *s, fault);
    double *spare = buffer_for(&state->spare, matrix_width(x), sizeof *spare, fault);
    if (!s || !spare)
        return NULL;
    if (state->live) { /* worked out already, and found finite */
        memcpy(s, state->live, x->docs * sizeof *s);
        return s;
    }
    matrix_times(x, state->w, state->ball.scale, state->dim, s, spare);
    return finite_scores(x->docs, s, "one of its features is not finite, or the weights diverge",
                         fault) < 0 ? NULL : s;
}

/* All weights back into the ball, and so all of w changes. */
static int gather(struct state *state, struct fault *fault)
{
    if (learner_check(state, fault) < 0)
        return -1;
    ball_gather(&state->ball, state->w);
    state->changes_known = false;
    return 0;
}

/* Where all of the first weights change. */
static int descend(struct state *state, size_t width, double eta, struct fault *fault)
{
    double *w = state->w, *z = state->gradient.at;
    for (size_t j = 0; j < width; j++) {
        w[j] -= eta * z[j];
        z[j] = 0;
    }
    if (state->ball.radius <= 0)
        return learner_check(state, fault);
    return ball_step(&state->ball, w, width) ? 0 : gather(state, fault);
}

/* Where few do: those for which a document with g != 0 has a feature. */
static int descend_changes(struct state *state, const struct matrix *x, const double *g, double eta,
                       struct fault *fault)
{
    double *w = state->w, *z = state->gradient.at;
    uint32_t *changed = state->changed.at;
    size_t n = 0;
    bool bad = false;
    for (size_t i = 0; i < x->docs; i++) {
        struct sparse_row row = matrix_sparse_row(x, i);
        for (size_t e = 0; g[i] != 0 && e < row.n; e++) {
            size_t j = sparse_row_index(&row, e);
            if (z[j] == 0)
                continue; /* it was here already */
            w[j] -= eta * z[j];
            z[j] = 0;
            bad |= !(fabs(w[j]) <= DBL_MAX);
            changed[n++] = (uint32_t)j;
        }
    }
    state->changes_known = true;
    state->n_changed = n;
    if (state->ball.radius > 0)
        return ball_step_changes(&state->ball, w, changed, n) ? 0 : gather(state, fault);
    return bad ? learner_check(state, fault) : 0;
}

int learner_step(struct state *state, const struct matrix *x, const double *g,
                 struct fault *fault)
{
    double eta = state->settings.value[SETTING_ETA] / state->ball.scale;
    state->changes_known = false;
    matrix_transposed_times(x, g, state->gradient.at);
    if (x->form == MATRIX_DENSE)
        return descend(state, x->dim, eta, fault);
    size_t most = matrix_entries(x), dim = state->dim;
    if (!buffer_for(&state->changed, most < dim ? most : dim, sizeof(uint32_t), fault))
        return -1;
    return descend_changes(state, x, g, eta, fault);
}

int learner_move(struct state *state, const double *u, size_t width, struct fault *fault)
{
    double *z = state->gradient.at;
    for (size_t j = 0; j < width; j++)
        z[j] = -u[j];
    state->changes_known = false;
    return descend(state, width, state->settings.value[SETTING_ETA] / state->ball.scale, fault);
}
