#include "math/regression.h"

#include <math.h>
#include <string.h>

#include "kernels/covariance.h"
#include "math/matrix.h"

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

/* ---- the wide form ---- */

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
static void list_rows(const struct regression *of)
{
    struct wide *my = of->wide;
    size_t first = first_row(of), n = 0;
    if (first)
        my->row[n++] = 0;
    for (size_t k = 0; k < my->present.n; k++) {
        uint32_t j = my->present.feature[k];
        my->row[n++] = (uint32_t)(first + (of->plain ? j : 2 * (size_t)j));
        if (!of->plain)
            my->row[n++] = (uint32_t)(first + 2 * (size_t)j + 1);
    }
    my->rows = n;
}

static int start_wide(const struct regression *of, const struct matrix *x, struct fault *fault)
{
    struct wide *my = of->wide;
    size_t width = matrix_width(x);
    my->x = x;
    if (present_find(&my->present, x, width, fault) < 0) return -1;
    size_t n = my->present.n;
    double *at = buffer_for(&my->list, 8 * n + 3, sizeof *at + sizeof *my->row, fault);
    my->val = buffer_for(&my->document, width, sizeof *at + sizeof *my->idx, fault);
    if (!at || !my->val ||
        sketch_reach(&my->sketch, all_rows(of), fault) < 0)
        return -1;
    my->idx = (uint32_t *)(my->val + width);
    my->mean = at;
    my->z = at + n;
    my->weight = my->z + 2 * n + 1;
    my->d = my->weight + 2 * n + 1;
    my->row = (uint32_t *)(at + 8 * n + 3);
    my->written = SIZE_MAX;
    my->finite = true;
    average(my);
    list_rows(of);
    return 0;
}

/* Writes the z of document i, of the rows that may not be 0. */
static void write_wide(const struct regression *of, size_t i)
{
    struct wide *my = of->wide;
    if (my->written == i)
        return;
    my->written = i;
    const uint32_t *place = my->present.place;
    struct row row = matrix_row(my->x, i, my->val, my->idx);
    size_t step = of->plain ? 1 : 2;
    double *z = my->z;
    if (of->constant)
        *z++ = 1;
    for (size_t k = 0; k < my->present.n; k++) {
        z[step * k] = of->plain ? 0 : 0 - my->mean[k];
        if (!of->plain)
            z[step * k + 1] = my->mean[k];
    }
    for (size_t e = 0; e < row.n; e++)
        if (row.val[e] != 0)
            z[step * (place[row.idx ? row.idx[e] : e] - 1)] += row.val[e];
}

static double *weight_of(const struct regression *of, size_t row)
{
    if (of->constant && row-- == 0)
        return of->constant;
    return of->plain ? &of->w[row] : row % 2 ? &of->level[row / 2] : &of->w[row / 2];
}

/* v.z of document i. Leaves z, and the weights of its rows side by side: these lie anywhere, and
 * are fetched once. */
static double expect_wide(const struct regression *of, size_t i)
{
    struct wide *my = of->wide;
    double sum = 0;
    write_wide(of, i);
    for (size_t e = 0; e < my->rows; e++) {
        if (e + MATRIX_AHEAD < my->rows)
            __builtin_prefetch(weight_of(of, my->row[e + MATRIX_AHEAD]), 1);
        sum += my->z[e] * (my->weight[e] = *weight_of(of, my->row[e]));
    }
    return sum;
}

/* Learns that document i is worth `worth`, which counts `much` times, above 0. Returns its variance
 * before, + 1 / much; where that is not finite the sketch is unusable.
 *
 * v += e c A^-1 z / b = e c^(1/2) A^-1 a / b, with b = 1 + a'A^-1 a: c times the variance + 1 / c.
 */
static double learn_wide(const struct regression *of, size_t i, double worth, double much)
{
    struct wide *my = of->wide;
    struct sketch *sketch = &my->sketch;
    double e = worth - expect_wide(of, i), root = sqrt(much);
    double b = sketch_observe(sketch, &(struct sketch_observation){ my->rows, my->row, my->z, much,
                                                                    of->lambda, of->counted,
                                                                    my->d });
    double by = e * root / b, zero = 0; /* zero: times each weight, NaN where one is not finite */
    for (size_t s = 0; s < sketch->slots; s++)
        zero += 0 * (*weight_of(of, sketch->at->row[s]) += by * sketch->gain[s]);
    for (size_t k = 0; k < my->rows; k++) {
        if (my->d[k] == 0)
            continue;
        double weight = my->weight[k] + by * root * my->z[k] / my->d[k];
        *weight_of(of, my->row[k]) = weight;
        zero += 0 * weight;
    }
    my->finite = my->finite && zero == 0;
    return b / much;
}

void wide_close(struct wide *wide)
{
    sketch_close(&wide->sketch);
    present_close(&wide->present);
    buffer_free(&wide->list);
    buffer_free(&wide->document);
}

/* ---- rounds ---- */

int regression_round(struct regression *regression, const struct matrix *x, struct fault *fault)
{
    struct regression *my = regression;
    if (my->wide)
        return start_wide(my, x, fault);
    size_t d = my->dim, most = (d > x->docs ? d : x->docs) + 1;
    const size_t numbers = 6 + 2 * COVARIANCE_ABREAST;
    double *at = buffer_for(&my->buffer, most, numbers * sizeof *at + sizeof *my->idx, fault);
    if (!at) return -1;
    my->x = x;
    my->shares = false;
    my->written = SIZE_MAX;
    my->z = at;
    my->mean = at + 2 * most;
    my->val = at + 3 * most;
    my->shared = at + 4 * most;
    my->abreast = at + 6 * most;
    my->idx = (uint32_t *)(at + numbers * most);
    if (!my->plain)
        matrix_means(x, d, my->mean);
    return 0;
}

/* Writes the z of document i into z[rows]. */
static void write_out(struct regression *my, size_t i, double *z)
{
    size_t step = my->plain ? 1 : 2;
    struct row row = matrix_row(my->x, i, my->val, my->idx);
    z[0] = 1; /* unless a feature's number takes its place */
    z += first_row(my);
    if (my->plain)
        memset(z, 0, my->dim * sizeof *z);
    for (size_t j = 0; !my->plain && j < my->dim; j++) {
        z[2 * j] = 0 - my->mean[j];
        z[2 * j + 1] = my->mean[j];
    }
    for (size_t e = 0; e < row.n; e++)
        z[step * (row.idx ? row.idx[e] : e)] += row.val[e];
}

/* v.z */
static double expect(const struct regression *my, const double *z)
{
    z += first_row(my);
    double sum = my->constant ? *my->constant : 0;
    for (size_t j = 0; my->plain && j < my->dim; j++)
        sum += z[j] * my->w[j];
    for (size_t j = 0; !my->plain && j < my->dim; j++)
        sum += z[2 * j] * my->w[j] + z[2 * j + 1] * my->level[j];
    return sum;
}

/* z of document i, which is often asked for again. */
static const double *z_of(struct regression *my, size_t i)
{
    if (my->written != i)
        write_out(my, i, my->z);
    my->written = i;
    return my->z;
}

double regression_expect(struct regression *regression, size_t i)
{
    if (regression->wide)
        return expect_wide(regression, i);
    return expect(regression, z_of(regression, i));
}

/* v.z is w.x - w.M + level.M + constant, where M are the means. */
void regression_expect_all(struct regression *regression, size_t n, const uint32_t *doc,
                           double *expected)
{
    struct regression *my = regression;
    double level = my->constant ? *my->constant : 0;
    for (size_t j = 0; !my->wide && !my->plain && j < my->dim; j++)
        level += (my->level[j] - my->w[j]) * my->mean[j];
    for (size_t h = 0; h < n; h++) {
        expected[h] = my->wide ? expect_wide(my, doc[h]) : level;
        struct row row = { 0 };
        if (!my->wide)
            row = matrix_row(my->x, doc[h], my->val, my->idx);
        for (size_t e = 0; e < row.n; e++)
            expected[h] += my->w[row.idx ? row.idx[e] : e] * row.val[e];
    }
}

/* The z of documents from number i on, side by side, as covariance_variances takes them. */
static void write_abreast(struct regression *my, size_t i, double *z)
{
    enum { W = COVARIANCE_ABREAST };
    size_t step = my->plain ? 1 : 2, n = my->x->docs - i < W ? my->x->docs - i : W;
    for (size_t d = 0; my->constant && d < W; d++)
        *z++ = 1;
    for (size_t j = 0; my->plain && j < W * my->dim; j++)
        z[j] = 0;
    for (size_t j = 0; !my->plain && j < my->dim; j++) {
        for (size_t d = 0; d < W; d++) {
            z[2 * W * j + d] = 0 - my->mean[j];
            z[2 * W * j + W + d] = my->mean[j];
        }
    }
    for (size_t d = 0; d < n; d++) {
        struct row row = matrix_row(my->x, i + d, my->val, my->idx);
        for (size_t e = 0; e < row.n; e++)
            z[step * W * (row.idx ? row.idx[e] : e) + d] += row.val[e];
    }
}

void regression_variances(struct regression *regression, size_t i, double v[COVARIANCE_ABREAST])
{
    struct regression *my = regression;
    const size_t rows = all_rows(my);
    bool sharing = !my->plain && !my->constant; /* the means are numbers 1, 3, 5, ... */
    if (sharing && !my->shares) {
        covariance_shared(my->inverse, rows, z_of(my, i), my->shared);
        my->shares = true;
    }
    write_abreast(my, i, my->abreast);
    covariance_variances(my->inverse, rows, my->abreast, sharing ? my->shared : NULL, v);
    for (size_t d = 0; d < COVARIANCE_ABREAST; d++)
        v[d] /= my->lambda;
}

/* v += a u */
static void move(struct regression *my, double a, const double *u)
{
    if (my->constant)
        *my->constant += a * u[0];
    u += first_row(my);
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
    const struct wide *wide = regression->wide;
    size_t rows = wide ? wide->rows : all_rows(regression);
    double square = 0;
    if (wide)
        write_wide(regression, i);
    const double *z = wide ? wide->z : rows ? z_of(regression, i) : NULL;
    for (size_t r = 0; r < rows; r++)
        square += z[r] * z[r];
    return isfinite(square) ? 0 : too_large(square, fault);
}

/* P has taken the observation; so do the weights. */
static int settle(struct regression *my, const struct udu_observation *o, double worth,
                  struct regression_error *error, struct fault *fault)
{
    double b = o->b;
    if (!(b > 0) || isinf(b))
        return too_large(b, fault);
    my->spread = b / my->lambda;
    *error = (struct regression_error){ worth - expect(my, o->z), my->spread };
    move(my, error->e / b, o->u);
    return 0;
}

void regression_add_squares(const struct regression *regression, double much, double *sum)
{
    const struct wide *wide = regression->wide;
    size_t rows = wide ? wide->rows : all_rows(regression);
    const double *z = wide ? wide->z : regression->z;
    for (size_t r = 0; r < rows; r++)
        sum[wide ? wide->row[r] : r] += much * z[r] * z[r];
}

/* Up to REGRESSION_AT_ONCE documents in one pass over P. */
static int learn_several(struct regression *my, size_t n, const uint32_t *doc,
                         const double *worth, const double *much, struct regression_error *error,
                         struct fault *fault)
{
    struct udu_observation o[REGRESSION_AT_ONCE];
    struct regression_error some;
    size_t at[REGRESSION_AT_ONCE], rows = all_rows(my), k = 0;
    double *z = buffer_for(&my->several, 2 * n * rows, sizeof *z, fault); /* rows may be 0 */
    if (!z) return -1;
    for (size_t e = 0; e < n; e++) {
        if (much && !(much[e] > 0))
            continue;
        if (n > 1)
            write_out(my, doc[e], z);
        at[k] = e;
        o[k++] = (struct udu_observation){ n > 1 ? z : z_of(my, doc[e]),
                                           my->lambda / (much ? much[e] : 1), z + rows, 0 };
        z += 2 * rows;
    }
    if (k > 0)
        covariance_observe(my->inverse, rows, o, k);
    for (size_t e = 0; e < k; e++)
        if (settle(my, &o[e], worth[at[e]], error ? &error[at[e]] : &some, fault) < 0) return -1;
    return 0;
}

int regression_learn_all(struct regression *regression, size_t n, const uint32_t *doc,
                         const double *worth, const double *much, struct regression_error *error,
                         struct fault *fault)
{
    for (size_t e = 0; e < n; e += REGRESSION_AT_ONCE) {
        size_t some = n - e < REGRESSION_AT_ONCE ? n - e : REGRESSION_AT_ONCE;
        if (learn_several(regression, some, doc + e, worth + e, much ? much + e : NULL,
                          error ? error + e : NULL, fault) < 0)
            return -1;
    }
    return 0;
}

int regression_learn(struct regression *regression, size_t i, double worth, double much,
                     struct fault *fault)
{
    if (regression->wide) {
        double spread = regression->spread = learn_wide(regression, i, worth, much);
        return spread > 0 && isfinite(spread) ? 0 : too_large(regression->lambda * spread, fault);
    }
    const uint32_t doc = (uint32_t)i;
    return regression_learn_all(regression, 1, &doc, &worth, &much, NULL, fault);
}

int regression_lean(struct regression *regression, double kappa, double by, struct fault *fault)
{
    size_t rows = all_rows(regression);
    double *column = buffer_for(&regression->several, rows, sizeof *column, fault);
    if (!column) return -1;
    udu_column(regression->inverse, rows, first_row(regression), column);
    move(regression, by * (1 + kappa / regression->lambda), column);
    return 0;
}

double regression_spread(struct regression *regression)
{
    const struct wide *my = regression->wide;
    const size_t first = first_row(regression), step = regression->plain ? 1 : 2;
    double sum = 0, n = 0;
    for (size_t i = 0; i < my->x->docs; i++) {
        write_wide(regression, i);
        for (size_t k = 0; k < my->present.n; k++) {
            double z = my->z[first + step * k] - (regression->plain ? my->mean[k] : 0);
            bool other = my->present.feature[k] > 0;
            sum += other ? z * z : 0;
            n += other;
        }
    }
    return n > 0 ? sum / n : 0;
}

int regression_check(const struct regression *regression, struct fault *fault)
{
    const struct regression *my = regression;
    if (my->wide ? my->wide->finite
                 : finite_numbers(my->dim, my->w) && finite_numbers(my->dim, my->level) &&
                       finite_numbers(first_row(my), my->constant))
        return 0;
    return fault_data(fault, "the step would make a weight of the regression infinite or NaN");
}

void regression_close(struct regression *regression)
{
    buffer_free(&regression->buffer);
    buffer_free(&regression->several);
}
