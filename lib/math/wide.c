#include "math/wide.h"

#include <math.h>
#include <string.h>

/* ---- the regressors of a round ---- */

/* The means of the features that are present. */
static void average(struct wide *my)
{
    const uint32_t *place = my->present.place;
    memset(my->mean, 0, my->present.n * sizeof *my->mean);
    for (size_t i = 0; i < my->x->docs; i++) {
        struct row row = matrix_row(my->x, i, my->val, my->idx);
        for (size_t e = 0; e < row.n; e++)
            if (row.val[e] != 0)
                my->mean[place[row.idx ? row.idx[e] : e] - 1] += row.val[e];
    }
    for (size_t k = 0; k < my->present.n; k++)
        my->mean[k] /= (double)my->x->docs;
}

/* The constant's row is the first; then come two for each feature, or one if they are plain. */
static void list_rows(struct wide *my)
{
    size_t first = my->weights.constant ? 1 : 0, n = 0;
    if (first)
        my->row[n++] = 0;
    for (size_t k = 0; k < my->present.n; k++) {
        uint32_t j = my->present.feature[k];
        my->row[n++] = (uint32_t)(first + (my->weights.plain ? j : 2 * (size_t)j));
        if (!my->weights.plain)
            my->row[n++] = (uint32_t)(first + 2 * (size_t)j + 1);
    }
    my->rows = n;
}

int wide_round(struct wide *wide, const struct wide_weights *weights, const struct matrix *x,
               struct fault *fault)
{
    struct wide *my = wide;
    size_t width = matrix_width(x), first = weights->constant ? 1 : 0;
    my->weights = *weights;
    my->x = x;
    if (present_find(&my->present, x, width, fault) < 0)
        return -1;
    size_t n = my->present.n;
    double *at = buffer_for(&my->list, 4 * n + 1, sizeof *at + sizeof *my->row, fault);
    my->val = buffer_for(&my->document, width, sizeof *at + sizeof *my->idx, fault);
    if (!at || !my->val ||
        sketch_reach(&my->sketch, first + (weights->plain ? 1 : 2) * weights->dim, fault) < 0)
        return -1;
    my->idx = (uint32_t *)(my->val + width);
    my->mean = at;
    my->z = at + n;
    my->row = (uint32_t *)(at + 4 * n + 1);
    average(my);
    list_rows(my);
    return 0;
}

/* Writes the z of document i. */
static void write_out(struct wide *my, size_t i)
{
    const uint32_t *place = my->present.place;
    struct row row = matrix_row(my->x, i, my->val, my->idx);
    size_t step = my->weights.plain ? 1 : 2;
    double *z = my->z;
    if (my->weights.constant)
        *z++ = 1;
    for (size_t k = 0; k < my->present.n; k++) {
        z[step * k] = my->weights.plain ? 0 : 0 - my->mean[k];
        if (!my->weights.plain)
            z[step * k + 1] = my->mean[k];
    }
    for (size_t e = 0; e < row.n; e++)
        if (row.val[e] != 0)
            z[step * (place[row.idx ? row.idx[e] : e] - 1)] += row.val[e];
}

/* ---- weights ---- */

static double *weight_of(const struct wide *my, size_t row)
{
    const struct wide_weights *weights = &my->weights;
    if (weights->constant && row-- == 0)
        return weights->constant;
    return weights->plain ? &weights->w[row]
                          : row % 2 ? &weights->level[row / 2] : &weights->w[row / 2];
}

/* v.z */
static double expect(const struct wide *my)
{
    double sum = 0;
    for (size_t e = 0; e < my->rows; e++)
        sum += my->z[e] * *weight_of(my, my->row[e]);
    return sum;
}

double wide_expect(struct wide *wide, size_t i)
{
    write_out(wide, i);
    return expect(wide);
}

double wide_square(struct wide *wide, size_t i)
{
    double sum = 0;
    write_out(wide, i);
    for (size_t e = 0; e < wide->rows; e++)
        sum += wide->z[e] * wide->z[e];
    return sum;
}

/* v += e c A^-1 z / b = e c^(1/2) A^-1 a / b, with b = 1 + a'A^-1 a: c times the variance + 1 / c.
 */
double wide_learn(struct wide *wide, size_t i, double worth, double much)
{
    struct wide *my = wide;
    struct sketch *sketch = &my->sketch;
    const double *counted = my->weights.counted, lambda = my->weights.lambda;
    double e = worth - wide_expect(my, i), root = sqrt(much);
    double b = sketch_observe(sketch, &(struct sketch_observation){ my->rows, my->row, my->z, much,
                                                                    lambda, counted });
    double by = e * root / b;
    for (size_t s = 0; s < sketch->slots; s++)
        *weight_of(my, sketch->at->row[s]) += by * sketch->gain[s];
    for (size_t k = 0; k < my->rows; k++)
        if (sketch_slot(sketch, my->row[k]) == SKETCH_SLOTS)
            *weight_of(my, my->row[k]) += by * root * my->z[k] / (lambda + counted[my->row[k]]);
    return b / much;
}

void wide_add_squares(const struct wide *wide, double much, double *sum)
{
    for (size_t e = 0; e < wide->rows; e++)
        sum[wide->row[e]] += much * wide->z[e] * wide->z[e];
}

bool wide_is_finite(const struct wide *wide)
{
    double zero = 0; /* times each weight: NaN where one is not finite */
    for (size_t s = 0; s < wide->sketch.slots; s++)
        zero += 0 * *weight_of(wide, wide->sketch.at->row[s]);
    for (size_t e = 0; e < wide->rows; e++)
        zero += 0 * *weight_of(wide, wide->row[e]);
    return zero == 0;
}

void wide_close(struct wide *wide)
{
    sketch_close(&wide->sketch);
    present_close(&wide->present);
    buffer_free(&wide->list);
    buffer_free(&wide->document);
}
