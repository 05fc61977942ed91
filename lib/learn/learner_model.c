#include "learn/learner_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/unaligned.h"
#include "learn/adaptive.h"
#include "learn/residuals.h"
#include "math/finite.h"
#include "stream/model_file.h"

/* A message before its weights. */
static int start_message(const struct state *state, struct model *model, struct fault *fault)
{
    if (model_start(model, state->learner->name, state->rounds, state->dim, fault) < 0)
        return -1;
    return origin_publish(&state->origin, model, fault);
}

/* What the learner ranks by besides the weights. */
static int put_extras(struct state *state, struct model *model, enum publishing how,
                      struct fault *fault)
{
    if (state->learner->publish)
        return state->learner->publish(state, model, how, fault);
    if (!state->learner->rank && !state->learner->rival)
        return 0;
    if (settings_save(&state->settings, model, fault) < 0)
        return -1;
    if (!state->learner->rank)
        return 0;
    struct extent e = learner_extent(state, &state->learner->arrays[0], state->dim);
    if (model_put(model, state->learner->arrays[0].name, e.rows * e.columns,
                  state->arrays[0], fault) < 0)
        return -1;
    return learner_measures(state)
               ? model_put(model, RESIDUALS_COLUMN, RESIDUALS, state->extra, fault) : 0;
}

/* Within one process a message like the one before it needs only its numbers: the weights, and the
 * scale. True where these were all; `w` scores. */
static bool publish_again(struct state *state, struct model *model, enum publishing how,
                          const double *w)
{
    const struct learner *learner = state->learner;
    bool plain = how == PUBLISH_SHARED && !learner->publish && !learner->rank && !learner->rival &&
                 !*state->origin.words;
    bool again = plain && state->shared == model && model->dim == state->dim;
    state->shared = plain ? model : NULL;
    if (again) {
        model->rounds = state->rounds;
        model->w = w;
        model->scale = learner_scaled(state) ? state->ball.scale : 1;
    }
    return again;
}

static int publish(struct state *state, struct model *model, enum publishing how,
                   struct fault *fault)
{
    const struct learner *learner = state->learner;
    const double *w = learner->weights ? learner->weights(state, fault) : state->w;
    if (w && publish_again(state, model, how, w))
        return 0;
    if (!w || start_message(state, model, fault) < 0)
        return -1;
    int put = learner_scaled(state) ? model_put_scaled(model, w, &state->ball.scale, fault)
                                     : model_put_weights(model, w, fault);
    return put < 0 ? -1 : put_extras(state, model, how, fault);
}

/* The weights that changed alone, where that is shorter. */
static int publish_changes(struct state *state, struct model *model, struct fault *fault)
{
    const uint32_t *index = state->changed.at;
    size_t n = state->n_changed;
    if (!state->changes_known ||
        state->dim < n + n / 2) /* a change takes half as much again as a weight */
        return publish(state, model, PUBLISH_CHANGES, fault);
    double *value = buffer_for(&state->spare, n, sizeof *value, fault);
    if (!value)
        return -1;
    for (size_t i = 0; i < n; i++)
        value[i] = state->w[index[i]];
    const double *scale = learner_scaled(state) ? &state->ball.scale : NULL;
    if (start_message(state, model, fault) < 0 ||
        model_put_changes(model, n, index, value, scale, fault) < 0)
        return -1;
    return put_extras(state, model, PUBLISH_CHANGES, fault);
}

int learner_publish(struct state *state, struct model *model, enum publishing how,
                    struct fault *fault)
{
    return how == PUBLISH_CHANGES ? publish_changes(state, model, fault)
                                  : publish(state, model, how, fault);
}

/* Weights in a ball or of adaptive steps: those that score, and what gives them. */
static int save_scaled(struct state *state, struct model *model, struct fault *fault)
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

/* A model with other numbers could not be read again. */
static int check_finite(size_t n, const double *numbers, const char *name, struct fault *fault)
{
    if (finite_numbers(n, numbers))
        return 0;
    return fault_other(fault, "the model has %s that are not finite, and is not saved", name);
}

int learner_save(struct state *state, struct model *model, struct fault *fault)
{
    const struct state_array *array;
    state->shared = NULL;
    if (state->spoiled)
        return fault_other(fault, "the last round changed a part of the model, which is not saved");
    if (model_start(model, state->learner->name, state->rounds, state->dim, fault) < 0 ||
        origin_save(&state->origin, model, fault) < 0 ||
        (learner_scaled(state) ? save_scaled(state, model, fault)
                               : model_put_weights(model, state->w, fault)) < 0 ||
        settings_save(&state->settings, model, fault) < 0)
        return -1;
    if (check_finite(state->dim, state->w, "weights", fault) < 0)
        return -1;
    for (size_t i = 0; (array = learner_array(state, i)); i++) {
        struct extent e = learner_extent(state, array, state->dim);
        size_t n = e.rows * e.columns;
        if (check_finite(n, state->arrays[i], array->name, fault) < 0 ||
            model_put(model, array->name, n, state->arrays[i], fault) < 0)
            return -1;
    }
    return state->learner->save ? state->learner->save(state, model, fault) : 0;
}

/* Does the model have the arrays, of the length that its weights imply? Asked before memory is
 * allocated. */
static int check_arrays(const struct state *state, const struct model *model, struct fault *fault)
{
    const struct state_array *array;
    for (size_t i = 0; (array = learner_array(state, i)); i++) {
        struct extent e = learner_extent(state, array, model->dim);
        if (e.columns && e.rows > SIZE_MAX / sizeof(double) / e.columns)
            return fault_memory(fault, SIZE_MAX);
        if (!model_has(model, array->name, e.rows * e.columns, fault))
            return -1;
    }
    return !learner_scaled(state) || (model_has(model, "direction", model->dim, fault) &&
                                       model_has(model, "scale", 1, fault))
               ? 0
               : -1;
}

static int load_array(struct state *state, size_t i, const struct model *model,
                      struct fault *fault)
{
    const struct state_array *array = learner_array(state, i);
    struct extent e = learner_extent(state, array, state->dim);
    double *number = state->arrays[i];
    if (model_array(model, array->name, e.rows * e.columns, number, fault) < 0)
        return -1;
    double most = array->n == SETTINGS ? (double)RECORD_MOST : state->settings.value[array->n];
    if (array->shape == ARRAY_COUNT &&
        !(*number >= 0 && *number <= most && *number == floor(*number)))
        return fault_data(fault, "model: %s is %.17g, not a whole number from 0 to %.0f",
                          array->name, *number, most);
    return 0;
}

/* Could this scale be that of the direction in state->w? */
static bool resume_scale(struct state *state, double scale)
{
    if (!state->adaptive)
        return ball_resume(&state->ball, state->w, scale);
    norm_take(&state->length, state->w, state->dim);
    state->ball.scale = scale;
    return scale > 0 && scale == adaptive_scale(state);
}

/* Direction and scale must give the model's weights, or the run would go on from others. */
static int load_scaled(struct state *state, const struct model *model, struct fault *fault)
{
    double scale;
    if (model_array(model, "direction", state->dim, state->w, fault) < 0 ||
        model_array(model, "scale", 1, &scale, fault) < 0)
        return -1;
    if (!resume_scale(state, scale))
        return state->adaptive
                   ? fault_data(fault, "model: scale %.17g does not fit its direction and bets",
                                scale)
                   : fault_data(fault, "model: scale %.17g does not fit its direction and radius "
                                "%.17g", scale, state->ball.radius);
    for (size_t j = 0; j < state->dim; j++) {
        double w = unaligned_f8((const unsigned char *)model->w + j * sizeof w);
        if (w != scale * state->w[j])
            return fault_data(fault, "model: weight %zu is %.17g, but scale times direction is "
                              "%.17g", j, w, scale * state->w[j]);
    }
    return 0;
}

/* Each weight must be that of its bet. */
static int check_bets(const struct state *state, struct fault *fault)
{
    for (size_t j = 0; j < state->dim; j++)
        if (state->w[j] != adaptive_weight(state, j))
            return fault_data(fault, "model: weight %zu is %.17g, but its bets say %.17g", j,
                              state->w[j], adaptive_weight(state, j));
    return 0;
}

int learner_load(struct state *state, const struct model *model, struct fault *fault)
{
    if (strcmp(model->learner, LEARNER_FIXED) == 0)
        return fault_data(fault, "its weights are fixed: they came from text, without the state "
                          "that a learner needs: learn into another file");
    if (strcmp(model->learner, state->learner->name) != 0)
        return fault_data(fault,
                          "it is a model of %.40s, and this run learns with %s: use -a %.40s, "
                          "or another file",
                          model->learner, state->learner->name, model->learner);
    if (settings_compare(&state->settings, model, fault) < 0 ||
        origin_load(&state->origin, model, fault) < 0 ||
        check_arrays(state, model, fault) < 0 || learner_reach(state, model->dim, fault) < 0)
        return -1;
    for (size_t i = 0; learner_array(state, i); i++)
        if (load_array(state, i, model, fault) < 0)
            return -1;
    state->rounds = state->resumed = model->rounds;
    if (state->learner->load && state->learner->load(state, model, fault) < 0)
        return -1;
    if (learner_scaled(state))
        return load_scaled(state, model, fault);
    model_weights(model, state->w);
    return state->adaptive ? check_bets(state, fault) : 0;
}

int learner_resume(struct state *state, const char *path, const struct watch *watch,
                   struct fault *fault)
{
    struct mapped mapped;
    struct model *model = malloc(sizeof *model);
    if (!model)
        return fault_memory(fault, sizeof *model);
    int got = model_file_load(path, watch, &mapped, model, fault);
    if (got > 0 && learner_load(state, model, fault) < 0) {
        fault_place(fault, "model %s: ", path);
        got = -1;
    }
    mapped_close(&mapped);
    free(model);
    return got;
}
