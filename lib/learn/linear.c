#include "learn/linear.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/unaligned.h"
#include "feature/steps.h"

/* What made= says, as far as a linear form can have it. */
static int read_made(struct linear *linear, struct fault *fault)
{
    struct steps *steps = calloc(1, sizeof *steps);
    struct fault why = { FAULT_NONE, "" };
    if (!steps)
        return fault_no_room(fault, sizeof *steps);
    if (steps_parse_made(steps, linear->made, &why) == 0) {
        size_t i = linear->log = steps_is(steps, 0, "log");
        linear->scale = steps_is(steps, i, "scale");
        linear->range = steps_is(steps, i, "range");
        linear->constants = linear->range || steps_is(steps, i, "standard");
        i += linear->scale || linear->constants;
        linear->known = i == steps->number;
    }
    int loaded = linear->constants ? constants_load(&linear->scales, &linear->model, fault) : 0;
    if (loaded > 0)
        loaded = steps_give(steps, &linear->scales, fault);
    steps_close(steps);
    free(steps);
    return loaded < 0 ? -1 : 0;
}

static int read_record(struct linear *linear, const struct learner *const *learners,
                       const struct record *record, const struct feature_names *given,
                       struct fault *fault)
{
    struct model *model = &linear->model;
    model->record = *record;
    if (model_read(model, fault) < 0)
        return -1;
    const struct learner *learner = learner_named(learners, model->learner);
    linear->remembers = learner && learner->by == BY_WEIGHTS_AT_FIRST;
    if (learner && learner->by == BY_MORE)
        return fault_data(fault, "a model of %s ranks by more than weights, but this form holds "
                          "only weights", model->learner);
    if (!model->dim)
        return fault_data(fault, "the model has no weights");
    linear->made = record_key(&model->record, "made");
    linear->known = true;
    if (linear->made && read_made(linear, fault) < 0)
        return -1;
    if (!linear->known) /* then weights may be those of features without a name */
        return 0;
    int loaded = feature_names_load(&linear->names, model, fault);
    if (loaded != 0)
        return loaded < 0 ? -1 : feature_names_check(given, linear->names.sum, "the model", fault);
    return feature_names_copy(&linear->names, given, fault);
}

int linear_read(struct linear *linear, const struct learner *const *learners,
                const struct record *record, const struct feature_names *given,
                struct fault *fault)
{
    int result = read_record(linear, learners, record, given, fault);
    if (result < 0)
        linear_close(linear);
    return result;
}

double linear_weight(const struct linear *linear, size_t j)
{
    return unaligned_f8((const unsigned char *)linear->model.w + j * sizeof(double));
}

const char *linear_name(const struct linear *linear, size_t j, char name[LINEAR_NAME])
{
    const char *own = feature_names_of(&linear->names, j);
    if (own)
        return own;
    snprintf(name, LINEAR_NAME, "feature_%zu", j + 1);
    return name;
}

bool linear_scaled(const struct linear *linear, size_t j, double *from, double *by)
{
    if (j >= linear->scales.features)
        return false;
    constants_of(&linear->scales, linear->range, j, from, by);
    return *by > 0;
}

void linear_close(struct linear *linear)
{
    constants_close(&linear->scales);
    feature_names_close(&linear->names);
}
