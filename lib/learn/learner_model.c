#include "learn/learner_model.h"

#include <stdlib.h>
#include <string.h>

#include "base/unaligned.h"
#include "math/matrix.h"
#include "model/model_file.h"

/* Within one process a message of the same form as the one before needs only its numbers: the
 * weights, and the scale. True where these were all; `w` scores. */
static bool publish_again(struct state *state, struct model *model, const double *w)
{
    bool again = state->last == model && model->dim == state->dim;
    if (again) {
        model->rounds = state->rounds;
        model->w = w;
        model->scale = state->scale;
    }
    return again;
}

/* What scores, or, where few changed, the weights that did. */
static const double *find_weights(struct state *state, bool few, struct fault *fault)
{
    const struct learner *learner = state->learner;
    const uint32_t *index = state->changed.index.at;
    if (!few)
        return learner->weights ? learner->weights(state->own, state, fault) : state->w;
    double *value = buffer_for(&state->spare, state->changed.n, sizeof *value, fault);
    for (size_t i = 0; value && i < state->changed.n; i++)
        value[i] = state->w[index[i]];
    return value;
}

int learner_publish(struct state *state, struct model *model, enum publishing how,
                    struct fault *fault)
{
    const struct learner *learner = state->learner;
    const double *scale = state->scaled ? &state->scale : NULL;
    bool few = how == PUBLISH_CHANGES && state->changed.known && /* a change takes 1.5 weights */
               state->dim >= state->changed.n + state->changed.n / 2;
    const double *w = find_weights(state, few, fault);
    if (w && publish_again(state, model, w))
        return 0;
    state->last = NULL;
    if (!w || model_start(model, learner->name, state->rounds, state->dim, fault) < 0 ||
        origin_publish(&state->origin, model, how == PUBLISH_CHANGES, fault) < 0)
        return -1;
    int put = few     ? model_put_changes(model, state->changed.n, state->changed.index.at, w,
                                          scale, fault)
              : scale ? model_put_scaled(model, w, scale, fault)
                      : model_put_weights(model, w, fault);
    if (put < 0) return -1;
    if (learner->publish && learner->publish(state->own, state, model, how, fault) < 0) return -1;

    /* What the features are made by stays as it is, once a round was learnt. */
    const struct origin *origin = &state->origin;
    bool stays = how == PUBLISH_SHARED && origin->known && !origin->yields &&
                 (!state->learner->publish || !state->learner->scoring || model->shared);
    state->last = stays ? model : NULL;
    model->form = stays ? ++state->forms : 0;
    return 0;
}

/* Does a model of so many weights have w and scale, too, as direction and scale? */
static bool is_scaled(const struct state *state, size_t dim)
{
    return state->scaled || (dim > 0 && learner_first(state->learner, &state->origin) != 0);
}

/* Weight j of those that score. */
static double scored_weight(const struct state *state, size_t j)
{
    double w = state->scale * state->w[j];
    return j == 0 ? w + learner_first(state->learner, &state->origin) : w;
}

/* Scaled weights: those that score, and what gives them. */
static int save_scaled(struct state *state, struct model *model, struct fault *fault)
{
    double *w = buffer_for(&state->spare, state->dim, sizeof *w, fault);
    if (!w) return -1;
    for (size_t j = 0; j < state->dim; j++)
        w[j] = scored_weight(state, j);
    return model_put_weights(model, w, fault) < 0 ||
                   model_put_scaled(model, state->w, &state->scale, fault) < 0
               ? -1
               : 0;
}

int learner_save(struct state *state, struct model *model, struct fault *fault)
{
    const struct learner *learner = state->learner;
    state->last = NULL;
    if (state->begun)
        return fault_other(fault, "the last round changed only part of the model, so the model is "
                           "not saved");
    if (model_start(model, learner->name, state->rounds, state->dim, fault) < 0 ||
        origin_save(&state->origin, model, fault) < 0 ||
        (is_scaled(state, state->dim) ? save_scaled(state, model, fault)
                                      : model_put_weights(model, state->w, fault)) < 0 ||
        settings_save(&state->settings, model, fault) < 0)
        return -1;
    if (!finite_numbers(state->dim, state->w)) /* such a model could not be read again */
        return fault_other(fault, "the model is not saved, because some of its weights are not "
                           "finite");
    if (arrays_save(&state->arrays, &state->settings, state->dim, model, fault) < 0) return -1;
    return learner->save ? learner->save(state->own, state, model, fault) : 0;
}

/* Scale and direction must give the model's weights, or the run would go on from others. */
static int load_scaled(struct state *state, const struct model *model, struct fault *fault)
{
    if (model_array(model, "direction", state->dim, state->w, fault) < 0 ||
        model_array(model, "scale", 1, &state->scale, fault) < 0)
        return -1;
    for (size_t j = 0; j < state->dim; j++) {
        double w = unaligned_f8((const unsigned char *)model->w + j * sizeof w);
        if (w != scored_weight(state, j))
            return fault_data(fault, "model: weight %zu is %.17g, but its scale and direction "
                              "give %.17g", j, w, scored_weight(state, j));
    }
    return 0;
}

static int check_learner(const struct state *state, const struct model *model,
                         struct fault *fault)
{
    const char *instead = learner_instead(model->learner);
    if (instead)
        return fault_data(fault, "learner %s left in 0.5.0: use %s, and another file",
                          model->learner, instead);
    if (strcmp(model->learner, LEARNER_FIXED) == 0)
        return fault_data(fault, "its weights came from text, without the state that a learner "
                          "needs: learn into another file");
    if (strcmp(model->learner, state->learner->name) == 0)
        return 0;
    return fault_data(fault, "it is a model of %.40s, but this run learns with %s: use -a %.40s, "
                      "or another file", model->learner, state->learner->name, model->learner);
}

int learner_load(struct state *state, const struct model *model, struct fault *fault)
{
    const struct learner *learner = state->learner;
    state->last = NULL;
    settings_adopt(&state->settings, model);
    if (check_learner(state, model, fault) < 0 ||
        settings_compare(&state->settings, model, fault) < 0 ||
        origin_load(&state->origin, model, fault) < 0 ||
        (learner->shape && learner->shape(state->own, state, model->dim, model, fault) < 0) ||
        arrays_check(&state->arrays, &state->settings, model, fault) < 0 ||
        (is_scaled(state, model->dim) && !(model_has(model, "direction", model->dim, fault) &&
                                           model_has(model, "scale", 1, fault))) ||
        learner_reach(state, model->dim, fault) < 0 ||
        arrays_load(&state->arrays, &state->settings, model, fault) < 0)
        return -1;
    state->rounds = model->rounds;
    state->started = model->dim;
    if (!is_scaled(state, state->dim))
        model_weights(model, state->w);
    else if (load_scaled(state, model, fault) < 0)
        return -1;
    return learner->load ? learner->load(state->own, state, model, fault) : 0;
}

int learner_resume(struct state *state, const char *path, const struct watch *watch,
                   struct fault *fault)
{
    struct mapped mapped;
    struct model *model = malloc(sizeof *model);
    if (!model)
        return fault_no_room(fault, sizeof *model);
    int got = model_file_load(path, watch, &mapped, model, fault);
    if (got > 0 && learner_load(state, model, fault) < 0) {
        fault_place(fault, "model %s: ", path);
        got = -1;
    }
    mapped_close(&mapped);
    free(model);
    return got;
}
