#include "math/regression.h"

#include <math.h>
#include <string.h>

#include "base/unaligned.h"
#include "math/udu.h"

size_t regression_rows(size_t dim, bool plain)
{
    return plain ? dim : dim > SIZE_MAX / 2 ? SIZE_MAX : 2 * dim;
}

/* Computes the mean of all documents of the round into `mean`. */
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
    size_t d = my->dim, most = d > x->docs ? d : x->docs;
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

/* z of document i. */
static void spell(struct regression *my, size_t i)
{
    size_t step = my->plain ? 1 : 2;
    struct row row = matrix_row(my->x, i, my->val, my->idx);
    for (size_t j = 0; my->plain && j < my->dim; j++)
        my->z[j] = 0;
    for (size_t j = 0; !my->plain && j < my->dim; j++) {
        my->z[2 * j] = 0 - my->mean[j];
        my->z[2 * j + 1] = my->mean[j];
    }
    for (size_t e = 0; e < row.n; e++)
        my->z[step * (row.idx ? row.idx[e] : e)] += row.val[e];
}

/* v.z */
static double expect(const struct regression *my)
{
    double sum = 0;
    for (size_t j = 0; my->plain && j < my->dim; j++)
        sum += my->z[j] * my->w[j];
    for (size_t j = 0; !my->plain && j < my->dim; j++)
        sum += my->z[2 * j] * my->w[j] + my->z[2 * j + 1] * my->level[j];
    return sum;
}

double regression_expect(struct regression *regression, size_t i)
{
    spell(regression, i);
    return expect(regression);
}

double regression_variance(struct regression *regression, size_t i)
{
    struct regression *my = regression;
    spell(my, i);
    return udu_variance(my->inverse, regression_rows(my->dim, my->plain), my->z) / my->lambda;
}

/* v += a u */
static void move(struct regression *my, double a)
{
    for (size_t j = 0; my->plain && j < my->dim; j++)
        my->w[j] += a * my->u[j];
    for (size_t j = 0; !my->plain && j < my->dim; j++) {
        my->w[j] += a * my->u[2 * j];
        my->level[j] += a * my->u[2 * j + 1];
    }
}

int regression_learn(struct regression *regression, size_t i, double worth, double much,
                     struct fault *fault)
{
    struct regression *my = regression;
    spell(my, i);
    double b = udu_observe(my->inverse, regression_rows(my->dim, my->plain), my->z,
                              my->lambda / much, my->u);
    if (!(b > 0) || isinf(b))
        return fault_data(fault, "z'P z + lambda is %g: a feature is no finite number or too "
                          "large; smaller features", b);
    move(my, (worth - expect(my)) / b);
    return 0;
}

int regression_check(const struct regression *regression, struct fault *fault)
{
    const struct regression *my = regression;
    if (unaligned_finite(my->w, my->dim) && unaligned_finite(my->level, my->dim))
        return 0;
    return fault_data(fault, "its step would make a weight of the regression infinite or NaN");
}

void regression_close(struct regression *regression)
{
    buffer_free(&regression->buffer);
}
