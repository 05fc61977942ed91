#include "math/matrix.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/unaligned.h"
#include "kernels/dense.h"
#include "kernels/vectors.h"

/* Documents that are summed at a time. */
enum { AHEAD = MATRIX_AHEAD, SUMMED = 64 };

/* The first weight of scale w + first e_1. */
static double first_weight(double first, const double *w, double scale, size_t n)
{
    return n > 0 ? scale * w[0] + first : first;
}

static double sparse_times(const struct matrix *x, size_t i, double first, const double *w,
                           double scale, size_t n)
{
    double lane[LANES] = { 0 };
    size_t end = unaligned_u4(x->ptr + 4 * (i + 1)), last = unaligned_u4(x->ptr + 4 * x->docs);
    size_t e = unaligned_u4(x->ptr + 4 * i);
    if (first != 0 && e < end && unaligned_u4(x->idx + 4 * e) == 0)
        lane[0] = (double)unaligned_f4(x->val + 4 * e++) * first_weight(first, w, scale, n);
    for (; e < end; e++) {
        size_t j = unaligned_u4(x->idx + 4 * e);
        if (j >= n)
            break;
        if (e + AHEAD < last)
            __builtin_prefetch(&w[unaligned_u4(x->idx + 4 * (e + AHEAD))]);
        lane[j % LANES] += (double)unaligned_f4(x->val + 4 * e) * (scale * w[j]);
    }
    return sum_lanes(lane);
}

size_t matrix_width(const struct matrix *x)
{
    return x->kind == MATRIX_UNIT ? x->docs : x->dim;
}

size_t matrix_entries(const struct matrix *x)
{
    if (x->kind == MATRIX_SPARSE)
        return unaligned_u4(x->ptr + 4 * x->docs);
    return x->kind == MATRIX_DENSE ? x->docs * x->dim : x->docs;
}

void matrix_spread(const struct matrix *x, float *to)
{
    if (x->kind == MATRIX_DENSE)
        memcpy(to, x->x, x->docs * x->dim * sizeof *to);
    else
        memset(to, 0, x->docs * x->dim * sizeof *to);
    for (size_t i = 0; x->kind == MATRIX_SPARSE && i < x->docs; i++, to += x->dim)
        for (size_t e = unaligned_u4(x->ptr + 4 * i); e < unaligned_u4(x->ptr + 4 * (i + 1)); e++)
            to[unaligned_u4(x->idx + 4 * e)] = unaligned_f4(x->val + 4 * e);
}

void matrix_times(const struct matrix *x, const double *w, double scale, size_t n, double *s,
                  double *spare)
{
    matrix_times_from(x, 0, w, scale, n, s, spare);
}

void matrix_times_from(const struct matrix *x, double first, const double *w, double scale,
                       size_t n, double *s, double *spare)
{
    bool own = scale != 1 || first != 0;
    size_t width = matrix_width(x), reach = n > 0 ? n : first != 0;
    if (reach > width)
        reach = width;
    if (x->kind == MATRIX_DENSE) {
        for (size_t j = 0; own && j < reach; j++)
            spare[j] = j > 0 ? scale * w[j] : first_weight(first, w, scale, n);
        const struct dense dense = { x->x, x->docs, x->dim, reach };
        dense_times(&dense, own ? spare : w, s);
    } else if (x->kind == MATRIX_SPARSE) {
        for (size_t i = 0; i < x->docs; i++)
            s[i] = sparse_times(x, i, first, w, scale, n);
    } else {
        for (size_t i = 0; i < x->docs; i++)
            s[i] = i < n ? scale * w[i] : 0;
        if (first != 0 && x->docs > 0)
            s[0] = first_weight(first, w, scale, n);
    }
}

static void add_row(const struct matrix *x, size_t i, double a, double *z)
{
    if (x->kind == MATRIX_UNIT) {
        z[i] += a;
        return;
    }
    size_t end = unaligned_u4(x->ptr + 4 * (i + 1));
    for (size_t e = unaligned_u4(x->ptr + 4 * i); e < end; e++)
        z[unaligned_u4(x->idx + 4 * e)] += a * (double)unaligned_f4(x->val + 4 * e);
}

void matrix_transposed_times(const struct matrix *x, const double *g, double *z)
{
    const struct dense dense = { x->x, x->docs, x->dim, x->dim };
    if (x->kind == MATRIX_DENSE)
        dense_add(&dense, g, z);
    for (size_t i = 0; x->kind != MATRIX_DENSE && i < x->docs; i++)
        if (g[i] != 0)
            add_row(x, i, g[i], z);
}

/* mean[n] += the sum of the rows, of which all numbers from n on are left out. */
static void add_rows(const struct matrix *x, size_t n, double *mean)
{
    double one[SUMMED];
    for (size_t i = 0; i < SUMMED; i++)
        one[i] = 1;
    for (size_t i = 0; x->kind == MATRIX_DENSE && i < x->docs; i += SUMMED) {
        size_t docs = x->docs - i < SUMMED ? x->docs - i : SUMMED;
        dense_add(&(struct dense){ x->x + i * x->dim * sizeof(float), docs, x->dim, n },
                           one, mean);
    }
    for (size_t i = 0; x->kind == MATRIX_UNIT && i < n; i++)
        mean[i] = 1;
    for (size_t e = 0; x->kind == MATRIX_SPARSE && e < matrix_entries(x); e++) {
        size_t j = unaligned_u4(x->idx + 4 * e);
        if (j < n)
            mean[j] += (double)unaligned_f4(x->val + 4 * e);
    }
}

void matrix_means(const struct matrix *x, size_t n, double *mean)
{
    size_t width = matrix_width(x), reach = n < width ? n : width;
    memset(mean, 0, n * sizeof *mean);
    if (x->sum)
        memcpy(mean, x->sum, reach * sizeof *mean);
    else
        add_rows(x, reach, mean);
    for (size_t j = 0; j < reach; j++)
        mean[j] /= (double)x->docs;
}

double matrix_norm(const double *w, size_t n)
{
    double lane[LANES] = { 0 };
    for (size_t j = 0; j < n; j++)
        lane[j % LANES] += w[j] * w[j];
    return sqrt(sum_lanes(lane));
}

/* The entries of a sparse row in the stream. */
struct stretch {
    size_t from, to;
};

static struct stretch stretch(const struct matrix *x, size_t i)
{
    return (struct stretch){ unaligned_u4(x->ptr + 4 * i), unaligned_u4(x->ptr + 4 * (i + 1)) };
}

struct sparse_row matrix_sparse_row(const struct matrix *x, size_t i)
{
    if (x->kind == MATRIX_UNIT)
        return (struct sparse_row){ 1, NULL, i };
    struct stretch r = stretch(x, i);
    return (struct sparse_row){ r.to - r.from, x->idx + 4 * r.from, 0 };
}

size_t matrix_sparse_index(const struct sparse_row *row, size_t e)
{
    return row->idx ? unaligned_u4(row->idx + 4 * e) : row->only;
}

struct row matrix_row(const struct matrix *x, size_t i, double *val, uint32_t *idx)
{
    struct row row = { 1, x->kind == MATRIX_DENSE ? NULL : idx, val };
    if (x->kind == MATRIX_DENSE) {
        const unsigned char *at = x->x + i * x->dim * sizeof(float);
        row.n = x->dim;
        for (size_t j = 0; j < x->dim; j++)
            val[j] = unaligned_f4(at + j * sizeof(float));
    } else if (x->kind == MATRIX_SPARSE) {
        struct stretch r = stretch(x, i);
        row.n = r.to - r.from;
        for (size_t e = 0; e < row.n; e++) {
            idx[e] = unaligned_u4(x->idx + 4 * (r.from + e));
            val[e] = unaligned_f4(x->val + 4 * (r.from + e));
        }
    } else {
        idx[0] = (uint32_t)i;
        val[0] = 1;
    }
    return row;
}

static size_t merge(const struct matrix *x, struct stretch a, struct stretch b, double *val,
                    uint32_t *idx)
{
    size_t n = 0;
    while (a.from < a.to || b.from < b.to) {
        uint32_t i = a.from < a.to ? unaligned_u4(x->idx + 4 * a.from) : UINT32_MAX;
        uint32_t j = b.from < b.to ? unaligned_u4(x->idx + 4 * b.from) : UINT32_MAX;
        idx[n] = i < j ? i : j;
        val[n] = 0;
        if (i <= j)
            val[n] = unaligned_f4(x->val + 4 * a.from++);
        if (j <= i)
            val[n] -= unaligned_f4(x->val + 4 * b.from++);
        n++;
    }
    return n;
}

struct row matrix_difference(const struct matrix *x, size_t i, size_t j, double *val,
                             uint32_t *idx)
{
    struct row row = { 2, x->kind == MATRIX_DENSE ? NULL : idx, val };
    if (x->kind == MATRIX_DENSE) {
        const unsigned char *a = x->x + i * x->dim * sizeof(float);
        const unsigned char *b = x->x + j * x->dim * sizeof(float);
        row.n = x->dim;
        dense_difference(a, b, x->dim, val);
    } else if (x->kind == MATRIX_SPARSE) {
        row.n = merge(x, stretch(x, i), stretch(x, j), val, idx);
    } else {
        bool first = i < j;
        idx[0] = (uint32_t)(first ? i : j);
        idx[1] = (uint32_t)(first ? j : i);
        val[0] = first ? 1 : -1;
        val[1] = -val[0];
    }
    return row;
}

/* The product of a sparse row with w, or with itself (w is NULL), in the lanes of a dense row. */
static double sparse_row_times(const struct row *row, const double *w)
{
    double lane[LANES] = { 0 };
    for (size_t e = 0; e < row->n; e++)
        lane[row->idx[e] % LANES] += row->val[e] * (w ? w[row->idx[e]] : row->val[e]);
    return sum_lanes(lane);
}

double matrix_row_times(const struct row *row, const double *w)
{
    return row->idx ? sparse_row_times(row, w) : dense_dot(row->val, w, row->n);
}

double matrix_row_square(const struct row *row)
{
    return row->idx ? sparse_row_times(row, NULL) : dense_dot(row->val, row->val, row->n);
}

void matrix_row_add(const struct row *row, double a, double *w)
{
    if (!row->idx)
        dense_add_times(a, row->val, w, row->n);
    for (size_t e = 0; row->idx && e < row->n; e++)
        w[row->idx[e]] += a * row->val[e];
}

/* ---- numbers that are not finite ---- */

/* In a number that is not finite all bits of the exponent are set, so that adding 1 to it carries
 * into the sign bit. The loop has no branch, because it runs often. */
bool finite_numbers(size_t n, const void *numbers)
{
    uint64_t carried = 0;
    for (size_t i = 0; i < n; i++)
        carried |= (unaligned_u8((const unsigned char *)numbers + i * sizeof carried) & INT64_MAX) +
                   ((uint64_t)1 << 52);
    return carried >> 63 == 0;
}

size_t finite_until(size_t n, const void *numbers)
{
    size_t i = finite_numbers(n, numbers) ? n : 0;
    while (i < n && isfinite(unaligned_f8((const unsigned char *)numbers + i * sizeof(double))))
        i++;
    return i;
}

int finite_scores(size_t m, const double *s, const char *cause, struct fault *fault)
{
    size_t i = finite_numbers(m, s) ? m : finite_until(m, s);
    return i == m ? 0 : fault_data(fault, "document %zu scores %g: %s", i, s[i], cause);
}

/* ---- the features of a round ---- */

/* The places of features below `reach`, of which none has one: the last round's are forgotten, and
 * new ones never had one. */
static uint32_t *clear_places(struct present *my, size_t reach, struct fault *fault)
{
    size_t had = my->places.bytes / sizeof(uint32_t);
    uint32_t *place = buffer_for(&my->places, reach, sizeof *place, fault);
    for (size_t k = 0; place && k < my->n; k++)
        place[my->feature[k]] = 0;
    size_t has = my->places.bytes / sizeof *place;
    if (place && has > had)
        memset(place + had, 0, (has - had) * sizeof *place);
    return place;
}

static void add(struct present *my, uint32_t *place, uint32_t *list, size_t j)
{
    if (place[j])
        return;
    list[my->n++] = (uint32_t)j;
    place[j] = (uint32_t)my->n;
}

int present_find(struct present *present, const struct matrix *x, size_t reach,
                 struct fault *fault)
{
    struct present *my = present;
    size_t entries = matrix_entries(x);
    uint32_t *place = clear_places(my, reach, fault);
    if (!place) return -1;
    my->n = 0;
    uint32_t *list = buffer_for(&my->list, entries < reach ? entries : reach, sizeof *list, fault);
    if (!list) return -1;
    my->place = place;
    my->feature = list;
    for (size_t i = 0; x->kind == MATRIX_DENSE && i < x->docs && my->n < reach; i++)
        for (size_t j = 0; j < x->dim && j < reach; j++)
            if (unaligned_f4(x->x + 4 * (i * x->dim + j)) != 0)
                add(my, place, list, j);
    for (size_t e = 0; x->kind == MATRIX_SPARSE && e < entries && my->n < reach; e++) {
        size_t j = unaligned_u4(x->idx + 4 * e);
        size_t next = e + AHEAD < entries ? unaligned_u4(x->idx + 4 * (e + AHEAD)) : reach;
        if (next < reach)
            __builtin_prefetch(&place[next], 1);
        if (j < reach && unaligned_f4(x->val + 4 * e) != 0)
            add(my, place, list, j);
    }
    for (size_t j = 0; x->kind == MATRIX_UNIT && j < entries && j < reach; j++)
        add(my, place, list, j);
    return 0;
}

void present_close(struct present *present)
{
    buffer_free(&present->list);
    buffer_free(&present->places);
}
