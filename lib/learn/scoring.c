#include "learn/scoring.h"

#include <string.h>

#include "learn/learner.h"
#include "learn/residuals.h"
#include "math/finite.h"

/* Does the learner rank by more than Xw? */
static bool ranks(const struct scoring *scoring)
{
    return scoring->learner->rank && (scoring->ring || !scoring->learner->ring_only);
}

bool scoring_has_rival(const struct scoring *scoring)
{
    return scoring->learner->rival && scoring->ring;
}

static struct ring_extras extras_of(struct scoring *scoring)
{
    return (struct ring_extras){ scoring->dim, scoring->count, scoring->array, &scoring->numbers,
                                 &scoring->settings, &scoring->work, &scoring->memory };
}

/* Where no width was given, that of the residuals. */
static int take_width(struct scoring *scoring, const struct model *model, struct fault *fault)
{
    struct settings *settings = &scoring->settings;
    double residuals[RESIDUALS];
    if (!scoring->learner->measures || settings->set[SETTING_EXPLORATION_WIDTH])
        return 0;
    if (model_array(model, RESIDUALS_COLUMN, RESIDUALS, residuals, fault) < 0)
        return -1;
    settings->value[SETTING_EXPLORATION_WIDTH] = residuals_width(residuals);
    settings->set[SETTING_EXPLORATION_WIDTH] = true;
    return 0;
}

/* Takes the learner's first array, or borrows it with the weights. */
static int take_array(struct scoring *scoring, const struct model *model, bool borrows,
                      struct fault *fault)
{
    const char *name = scoring->learner->arrays[0].name;
    const struct column *column = record_column(&model->record, name);
    size_t n = column && column->count <= SIZE_MAX / 8 ? (size_t)column->count : 0;
    const void *from = NULL;
    scoring->count = n;
    if (borrows && model_find(model, name, n, &from, fault) < 0)
        return -1;
    scoring->array = from;
    if (borrows)
        return 0;
    double *numbers = buffer_for(&scoring->numbers, n, sizeof *numbers, fault);
    return numbers ? model_array(model, name, n, numbers, fault) : -1;
}

/* Takes what the learner ranks by besides the weights. */
static int take_extras(struct scoring *scoring, const struct model *model, bool borrows,
                       struct fault *fault)
{
    const struct ring_extras extras = extras_of(scoring);
    if (scoring->learner->take)
        return scoring->learner->take(&extras, &scoring->settings, model, scoring->ring, fault);
    if (settings_load(&scoring->settings, model, fault) < 0)
        return -1;
    if (scoring_has_rival(scoring))
        return 0;
    return take_array(scoring, model, borrows, fault) < 0 ? -1
                                                          : take_width(scoring, model, fault);
}

/* From text, which says nothing about features, and leaves out those of weight 0. */
static bool is_fixed(const struct scoring *scoring)
{
    return strcmp(scoring->learner->name, LEARNER_FIXED) == 0;
}

/* Takes all but the weights. */
static int take_learner(struct scoring *scoring, const struct model *model, bool borrows,
                        struct fault *fault)
{
    if (!scoring->learner || strcmp(scoring->learner->name, model->learner) != 0)
        scoring->learner = learner_of_model(model->learner);
    if (!scoring->learner)
        return fault_data(fault, "a model of %.40s, which this version has no learner for",
                          model->learner);
    scoring->dim = model->dim;
    scoring->rounds = model->rounds;
    scoring->scale = model->scale;
    if (origin_take(&scoring->origin, model, scoring->ring || is_fixed(scoring), fault) < 0)
        return -1;
    return ranks(scoring) || scoring_has_rival(scoring)
               ? take_extras(scoring, model, borrows, fault) : 0;
}

int scoring_take(struct scoring *scoring, const struct model *model, struct fault *fault)
{
    size_t had = scoring->dim;
    if (!model->w && model->dim < had)
        return fault_data(fault, "changes of %zu weights came, but there were %zu", model->dim,
                          had);
    double *w = buffer_for(&scoring->weights, model->dim, sizeof *w, fault);
    if (!w || take_learner(scoring, model, false, fault) < 0)
        return -1;
    for (size_t j = had; !model->w && j < model->dim; j++)
        w[j] = 0;
    model_weights(model, w);
    scoring->w = w;
    return 0;
}

int scoring_take_file(struct scoring *scoring, struct mapped *file, const struct model *model,
                      struct fault *fault)
{
    scoring->file = *file;
    *file = (struct mapped){ .map = NULL };
    return scoring_take(scoring, model, fault);
}

int scoring_borrow(struct scoring *scoring, const struct model *model, struct fault *fault)
{
    scoring->w = model->w;
    return take_learner(scoring, model, true, fault);
}

bool scoring_is_live(const struct scoring *scoring, const struct matrix *x)
{
    return !ranks(scoring) && !scoring->learner->weights &&
           scoring->dim >= matrix_width(x);
}

int scoring_features(struct scoring *scoring, const struct round *round, const struct matrix *x,
                     struct matrix *z, struct fault *fault)
{
    if (origin_features(&scoring->origin, round, x, z, fault) < 0)
        return -1;
    return scoring->ring ? 0 : origin_check_width(&scoring->origin, z, scoring->allowed, fault);
}

bool scoring_lacks(const struct scoring *scoring, const struct matrix *z)
{
    return !scoring->ring && !is_fixed(scoring) && scoring->dim > 0 && z->dim > scoring->dim &&
           z->dim > scoring->allowed;
}

void scoring_close(struct scoring *scoring)
{
    origin_close(&scoring->origin);
    buffer_free(&scoring->weights);
    buffer_free(&scoring->numbers);
    buffer_free(&scoring->spare);
    buffer_free(&scoring->work);
    memory_view_close(&scoring->memory);
    mapped_close(&scoring->file);
}

bool scoring_has_index(const struct scoring *scoring)
{
    return ranks(scoring) && scoring->learner->has_index;
}

int scoring_round(struct scoring *scoring, const struct matrix *x, const struct round *round,
                  double *s, double *index, struct fault *fault)
{
    size_t room =
        x->form == MATRIX_DENSE ? x->dim : 0; /* that came; a sparse one may be any width */
    double *spare = buffer_for(&scoring->spare, room, sizeof *spare, fault);
    if (!spare)
        return -1;
    matrix_times(x, scoring->w, scoring->scale, scoring->dim, s, spare);
    if (finite_scores(x->docs, s, "one of its features is not finite, or the weights are too large",
                      fault) < 0)
        return -1;
    const struct ring_extras extras = extras_of(scoring);
    return ranks(scoring) ? scoring->learner->rank(x, round, &extras, s, index, fault) : 0;
}

int scoring_rival(struct scoring *scoring, const struct matrix *x, uint64_t t, const double *s,
                  double *rival, struct fault *fault)
{
    const struct ring_extras extras = extras_of(scoring);
    return scoring->learner->rival(x, &extras, t, s, rival, fault);
}
