#include "learn/scored.h"

int scored_take(struct scored *scored, const struct model *model, const char *name,
                enum taking how, struct fault *fault)
{
    const struct column *column = name ? record_column(&model->record, name) : NULL;
    const void *at = NULL;
    scored->dim = model->dim;
    scored->n = column && column->count <= SIZE_MAX / 8 ? (size_t)column->count : 0;
    if (settings_load(&scored->settings, model, fault) < 0)
        return -1;
    if (name && how == TAKE_SHARED) {
        if (model_find(model, name, scored->n, &at, fault) < 0)
            return -1;
        scored->array = at;
    } else if (name) {
        double *copy = buffer_for(&scored->copy, scored->n, sizeof *copy, fault);
        if (!copy || model_array(model, name, scored->n, copy, fault) < 0)
            return -1;
        scored->array = copy;
    }
    return 0;
}

int scored_publish_settings(void *own, struct state *state, struct model *model,
                            enum publishing how, struct fault *fault)
{
    (void)own, (void)how;
    return settings_save(&state->settings, model, fault);
}

int scored_publish(void *own, struct state *state, struct model *model, enum publishing how,
                   struct fault *fault)
{
    if (scored_publish_settings(own, state, model, how, fault) < 0)
        return -1;
    return arrays_put(&state->arrays, 0, &state->settings, state->dim, model, fault);
}

void scored_leave(void *own)
{
    struct scored *my = own;
    buffer_free(&my->copy);
    buffer_free(&my->work);
}
