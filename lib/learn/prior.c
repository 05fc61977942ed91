#include "learn/prior.h"

#include <stdlib.h>

#include "kernels/covariance.h"
#include "math/matrix.h"
#include "math/regression.h"
#include "stream/model_file.h"

/* The mean square of a feature in an answer. */
static const double square = 1.0 / 12;

/* ---- the numbers ---- */

/* Copies a column into to[n] where the prior has it. 1, 0 where it has none, or a fault. */
static int take(const struct model *prior, const char *name, size_t n, double *to,
                struct fault *fault)
{
    if (!record_column(&prior->record, name))
        return 0;
    return model_array(prior, name, n, to, fault) < 0 ? -1 : 1;
}

/* Row r of P begins with kappa. */
static void begin_row(struct state *state, struct regression_arrays arrays, size_t r,
                      double kappa)
{
    double lambda = state->settings.value[SETTING_TRADEOFF];
    double *inverse = state->arrays.at[arrays.inverse];
    if (!arrays.sketch)
        inverse[udu_size(r + 1) - 1] = lambda / (lambda + kappa);
    if (arrays.counted)
        state->arrays.at[arrays.counted][r] = kappa;
}

int prior_regression(struct state *state, struct regression_arrays arrays,
                     const struct model *prior, struct fault *fault)
{
    const struct settings *settings = &state->settings;
    bool plain = settings->set[SETTING_PLAIN];
    size_t dim = state->dim, first = arrays.has_constant, step = plain ? 1 : 2;
    double m = settings->value[SETTING_STRENGTH], *level = state->arrays.at[arrays.level];
    const struct array_row *row = state->arrays.row;
    int levels = plain ? 0 : take(prior, row[arrays.level].name, dim, level, fault);
    int constant = !first ? 0 : take(prior, row[arrays.constant].name, 1,
                                     state->arrays.at[arrays.constant], fault);
    if (levels < 0 || constant < 0) return -1;
    model_weights(prior, state->w);
    if (!finite_numbers(dim, state->w))
        return fault_data(fault, "model: a weight is not finite");
    if (constant)
        begin_row(state, arrays, 0, m);
    for (size_t i = 0; i < regression_rows(dim, plain); i++)
        if (i % step == 0 || levels)
            begin_row(state, arrays, first + i, m * square);
    return 0;
}

/* ---- the file ---- */

/* The prior's features must be this run's; steps that it does not ask for give way. */
static int begin(struct state *state, const struct model *model, struct fault *fault)
{
    if (origin_load(&state->origin, model, fault) < 0 ||
        learner_reach(state, model->dim, fault) < 0)
        return -1;
    return state->learner->begin(state->own, state, model, fault);
}

int prior_begin(struct state *state, const struct watch *watch, struct fault *fault)
{
    struct mapped mapped;
    const char *path = settings_path(&state->settings, SETTING_PRIOR);
    if (!*path)
        return 0;
    struct model *model = malloc(sizeof *model);
    if (!model)
        return fault_no_room(fault, sizeof *model);
    int got = model_file_load(path, watch, &mapped, model, fault);
    if (got == 0)
        (void)fault_other(fault, "no such file");
    int result = got > 0 ? begin(state, model, fault) : -1;
    if (result < 0)
        fault_place(fault, "prior %s: ", path);
    mapped_close(&mapped);
    free(model);
    return result;
}
