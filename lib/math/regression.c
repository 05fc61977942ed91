#include "math/regression.h"

#include <math.h>
#include <string.h>

#include "base/unaligned.h"
#include "math/udu.h"

size_t regression_rows(size_t dim, bool plain)
{
    return plain ? dim : dim > SIZE_MAX / 2 ? SIZE_MAX : 2 * dim;
}

/* The rows of P, and of them what the constant has. */
static size_t first_row(const struct regression *my)
{
    return my->constant ? 1 : 0;
}

static size_t all_rows(const struct regression *my)
{
    return regression_rows(my->dim, my->plain) + first_row(my);
}

/* mean[dim]: the mean of all documents of the round, with feedback or not. */
static void average(struct regression *my, double *one)
{
    memset(my->mean, 0, my->dim * sizeof *my->mean);
    for (size_t i = 0; i < my->x->docs; i++)
        one[i] = 1;
    matrix_transposed_times(my->x, one, my->mean);
    for (size_t j = 0; j < my->dim; j++)
        my->mean[j] /= (double)my->x->docs;
}

int regression_round(struct regression *regression, const struct matrix *x, struct fault *fault)
{
    struct regression *my = regression;
    size_t d = my->dim, most = (d > x->docs ? d : x->docs) + 1;
    double *at = buffer_for(&my->buffer, most, 6 * sizeof *at + sizeof *my->idx, fault);
    if (!at)
        return -1;
    my->x = x;
    my->z = at;
    my->u = at + 2 * most;
    my->mean = at + 4 * most;
    my->val = at + 5 * most;
    my->idx = (uint32_t *)(at + 6 * most);
    if (!my->plain)
        average(my, my->val);
    return 0;
}

/* Writes the z of document i into z. */
static void write_out(struct regression *my, size_t i)
{
    size_t step = my->plain ? 1 : 2;
    double *z = my->z + first_row(my);
    struct row row = matrix_row(my->x, i, my->val, my->idx);
    my->z[0] = 1; /* unless a feature's number takes its place */
    for (size_t j = 0; my->plain && j < my->dim; j++)
        z[j] = 0;
    for (size_t j = 0; !my->plain && j < my->dim; j++) {
        z[2 * j] = 0 - my->mean[j];
        z[2 * j + 1] = my->mean[j];
    }
    for (size_t e = 0; e < row.n; e++)
        z[step * (row.idx ? row.idx[e] : e)] += row.val[e];
}

/* v.z */
static double expect(const struct regression *my)
{
    const double *z = my->z + first_row(my);
    double sum = my->constant ? *my->constant : 0;
    for (size_t j = 0; my->plain && j < my->dim; j++)
        sum += z[j] * my->w[j];
    for (size_t j = 0; !my->plain && j < my->dim; j++)
        sum += z[2 * j] * my->w[j] + z[2 * j + 1] * my->level[j];
    return sum;
}

double regression_expect(struct regression *regression, size_t i)
{
    write_out(regression, i);
    return expect(regression);
}

double regression_variance(struct regression *regression, size_t i)
{
    struct regression *my = regression;
    write_out(my, i);
    return udu_variance(my->inverse, all_rows(my), my->z) / my->lambda;
}

/* v += a u */
static void move(struct regression *my, double a)
{
    const double *u = my->u + first_row(my);
    if (my->constant)
        *my->constant += a * my->u[0];
    for (size_t j = 0; my->plain && j < my->dim; j++)
        my->w[j] += a * u[j];
    for (size_t j = 0; !my->plain && j < my->dim; j++) {
        my->w[j] += a * u[2 * j];
        my->level[j] += a * u[2 * j + 1];
    }
}

static int too_large(double b, struct fault *fault)
{
    return fault_data(fault, "z'P z + lambda is %g: a feature is not finite or too large: use "
                      "smaller features", b);
}

int regression_finite(struct regression *regression, size_t i, struct fault *fault)
{
    double square = 0;
    size_t rows = all_rows(regression);
    write_out(regression, i);
    for (size_t r = 0; r < rows; r++)
        square += regression->z[r] * regression->z[r];
    return isfinite(square) ? 0 : too_large(square, fault);
}

int regression_learn(struct regression *regression, size_t i, double worth, double much,
                     struct fault *fault)
{
    struct regression *my = regression;
    write_out(my, i);
    double b = udu_observe(my->inverse, all_rows(my), my->z, my->lambda / much, my->u);
    if (!(b > 0) || isinf(b))
        return too_large(b, fault);
    my->spread = b / my->lambda;
    move(my, (worth - expect(my)) / b);
    return 0;
}

int regression_check(const struct regression *regression, struct fault *fault)
{
    const struct regression *my = regression;
    if (unaligned_finite(my->w, my->dim) && unaligned_finite(my->level, my->dim) &&
        unaligned_finite(my->constant, first_row(my)))
        return 0;
    return fault_data(fault, "its step would make a weight of the regression infinite or NaN");
}

void regression_close(struct regression *regression)
{
    buffer_free(&regression->buffer);
}
