#include "learn/regression_sums.h"

#include "kernels/covariance.h"
#include "math/matrix.h"

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
                        const struct state *share, const struct sketch *sketch, size_t except,
                        struct fault *fault)
{
    double *a = state->arrays.at[arrays.inverse];
    if (arrays.sketch && sketch_reach(arrays.sketch, rows_of(state, arrays), fault) < 0) return -1;
    if (arrays.sketch) /* before what is counted adds up */
        sketch_add(arrays.sketch, sketch, state->settings.value[SETTING_TRADEOFF],
                   state->arrays.at[arrays.counted], share->arrays.at[arrays.counted]);
    for (size_t j = 0; j < state->dim; j++)
        state->w[j] += share->w[j];
    for (size_t i = 0; i < ARRAYS_MOST && state->arrays.row[i].name; i++)
        if (i != except)
            arrays_sum(&state->arrays, i, &share->arrays, &state->settings, state->dim);
    for (size_t i = 0; !arrays.sketch && i < rows_of(state, arrays); i++)
        a[udu_size(i + 1) - 1] -= 1;
    return 0;
}
