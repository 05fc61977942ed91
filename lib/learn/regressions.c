#include "learn/regressions.h"

#include <stdlib.h>

#include "kernels/covariance.h"
#include "math/matrix.h"
#include "math/regression.h"
#include "model/model_file.h"

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

/* ---- the base ---- */

static const double base_strength = 5000;

bool base_starts(const struct state *state)
{
    return !state->settings.set[SETTING_PRIOR] && origin_has_base(&state->origin);
}

double base_kappa(const struct settings *settings)
{
    bool given = settings->set[SETTING_STRENGTH];
    return (given ? settings->value[SETTING_STRENGTH] : base_strength) * square;
}

int base_check_strength(const struct state *state, struct fault *fault)
{
    const bool *set = state->settings.set;
    if (!set[SETTING_STRENGTH] || set[SETTING_PRIOR] || origin_has_base(&state->origin))
        return 0;
    return fault_data(fault, "strength is that of a prior, or of a base: give prior=model, or "
                      "rounds with the column base");
}

void base_start(struct state *state, struct regression_arrays arrays, double kappa, double r)
{
    size_t first = arrays.has_constant, step = state->settings.set[SETTING_PLAIN] ? 1 : 2;
    for (size_t j = state->started; j < state->dim; j++)
        begin_row(state, arrays, first + j * step, j == 0 ? BASE_KAPPA : kappa);
    if (state->started == 0 && state->dim > 0)
        state->w[0] = r;
    if (state->started < state->dim)
        state->started = state->dim;
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

/* ---- sums ---- */

/* v by rows of P: the weight of the constant, then of each feature's deviation and of its mean. */
static double *weight_of(const struct state *state, struct regression_arrays arrays,
                         size_t row)
{
    if (arrays.has_constant && row-- == 0)
        return &state->arrays.at[arrays.constant][0];
    if (state->settings.set[SETTING_PLAIN])
        return &state->w[row];
    return row % 2 ? &state->arrays.at[arrays.level][row / 2] : &state->w[row / 2];
}

/* The rows of P. */
static size_t rows_of(const struct state *state, struct regression_arrays arrays)
{
    return regression_rows(state->dim, state->settings.set[SETTING_PLAIN]) + arrays.has_constant;
}

int regression_sums(struct state *state, struct regression_arrays arrays,
                    enum summing how, struct fault *fault)
{
    size_t n = rows_of(state, arrays);
    double *a = state->arrays.at[arrays.inverse];
    double *v = buffer_for(&state->scratch, n, 2 * sizeof *v, fault), *sums = v + n;
    bool good = true;
    if (!v) return -1;
    for (size_t i = 0; i < n; i++)
        v[i] = *weight_of(state, arrays, i);
    if (arrays.sketch) {
        double lambda = state->settings.value[SETTING_TRADEOFF];
        const double *counted = state->arrays.at[arrays.counted];
        if (sketch_reach(arrays.sketch, n, fault) < 0) return -1;
        sums = v;
        if (how == SUMS_OPEN)
            sketch_times(arrays.sketch, lambda, counted, v);
        else
            sketch_solve(arrays.sketch, lambda, counted, v);
    } else if (how == SUMS_OPEN) {
        udu_to_inverse(a, n);
        udu_inverse_times(a, n, v, sums);
    } else {
        good = udu_of_inverse(a, n);
        udu_times(a, n, v, sums);
    }
    for (size_t i = 0; i < n; i++)
        *weight_of(state, arrays, i) = sums[i];
    if (good && finite_numbers(n, sums) && (arrays.sketch || finite_numbers(udu_size(n), a)))
        return 0;
    return fault_data(fault, "its column %s is no covariance of a regression, or its tradeoff is "
                      "so small against its answers that the sum loses all digits",
                      state->arrays.row[arrays.inverse].name);
}

int regression_sums_add(struct state *state, struct regression_arrays arrays,
                        const struct regression_share *share, size_t except, struct fault *fault)
{
    const struct state *other = share->state;
    size_t n = rows_of(state, arrays), step = state->settings.set[SETTING_PLAIN] ? 1 : 2;
    size_t of = share->state->started, both = of < state->started ? of : state->started;
    /* With what the state and the share both began, which counts once. */
    double *kappa = buffer_for(&state->scratch, n, sizeof *kappa, fault);
    for (size_t i = 0; kappa && i < n; i++)
        kappa[i] = 0;
    for (size_t j = 0; kappa && base_starts(state) && j < both; j++)
        kappa[arrays.has_constant + j * step] = j == 0 ? BASE_KAPPA : share->kappa;
    if (!kappa || (arrays.sketch &&
                   sketch_reach(arrays.sketch, rows_of(state, arrays), fault) < 0))
        return -1;
    if (arrays.sketch) /* before what is counted adds up */
        sketch_add(arrays.sketch, share->sketch, &(struct sketch_counts){
                       state->settings.value[SETTING_TRADEOFF], state->arrays.at[arrays.counted],
                       other->arrays.at[arrays.counted], kappa });
    for (size_t j = 0; j < state->dim; j++)
        state->w[j] += other->w[j];
    for (size_t i = 0; i < ARRAYS_MOST && state->arrays.row[i].name; i++)
        if (i != except)
            arrays_sum(&state->arrays, i, &other->arrays, &state->settings, state->dim);

    double *a = state->arrays.at[arrays.inverse], lambda = state->settings.value[SETTING_TRADEOFF];
    double *counted = arrays.counted ? state->arrays.at[arrays.counted] : NULL;
    for (size_t i = 0; i < rows_of(state, arrays); i++) {
        if (counted)
            counted[i] -= kappa[i];
        if (!arrays.sketch)
            a[udu_size(i + 1) - 1] -= 1 + kappa[i] / lambda;
    }
    if (base_starts(state) && state->dim > 0)
        state->w[0] += share->r_more * (lambda + BASE_KAPPA) / (arrays.sketch ? 1 : lambda);

    if (state->started < other->started)
        state->started = other->started;
    return 0;
}
