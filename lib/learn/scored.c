#include "learn/scored.h"

int scored_take(void *own, const struct learner *learner, const struct model *model,
                enum taking how, struct fault *fault)
{
    struct scored *my = own;
    const char *name = learner->arrays[0].name;
    const struct column *column = name ? record_column(&model->record, name) : NULL;
    const void *at = NULL;
    my->dim = model->dim;
    my->n = column && column->count <= SIZE_MAX / 8 ? (size_t)column->count : 0;
    if (settings_load(&my->settings, model, fault) < 0) return -1;
    if (!name)
        return 0;
    if (how == TAKE_SHARED) {
        int found = model_find(model, name, my->n, &at, fault);
        my->array = at;
        return found;
    }
    double *copy = buffer_for(&my->copy, my->n, sizeof *copy, fault);
    my->array = copy;
    return copy ? model_array(model, name, my->n, copy, fault) : -1;
}

int scored_publish(void *own, struct state *state, struct model *model, enum publishing how,
                   struct fault *fault)
{
    (void)own, (void)how;
    if (settings_save(&state->settings, model, fault) < 0) return -1;
    return state->arrays.row[0].name ? arrays_put(&state->arrays, 0, &state->settings, state->dim,
                                                  model, fault)
                                     : 0;
}

void scored_leave(void *own)
{
    struct scored *my = own;
    buffer_free(&my->copy);
    buffer_free(&my->work);
}
