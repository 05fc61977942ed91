#include "memory/memory_near.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/unaligned.h"
#include "kernels/dense.h"
#include "kernels/nearness.h"

/* Judged documents that are asked; rows that are written out at a time, where features are not
 * dense; features that are all columns; and -log2 K at the mean distance: 5 log2(e). */
enum { ASKED = 32, BLOCK = 64, ALL = 512 };
static const double steepness = 7.2134752044448170;

/* Writes row i of features that are not dense. */
static void write_out(const struct matrix *x, size_t i, size_t n, float *row)
{
    struct sparse_row sparse = matrix_sparse_row(x, i);
    const unsigned char *val = x->kind == MATRIX_SPARSE ? x->val + 4 * unaligned_u4(x->ptr + 4 * i)
                                                        : NULL;
    memset(row, 0, n * sizeof *row);
    for (size_t e = 0; e < sparse.n; e++) {
        size_t j = matrix_sparse_index(&sparse, e);
        if (j < n)
            row[j] = val ? unaligned_f4(val + 4 * e) : 1;
    }
}

/* Writes the features of row i that are present. */
static void write_present(const struct memory_space *space, size_t i, float *row)
{
    const struct matrix *x = space->x;
    const uint32_t *place = space->present.place;
    if (x->kind == MATRIX_DENSE) {
        for (size_t k = 0; k < space->n; k++)
            row[k] = unaligned_f4(x->x + 4 * (i * x->dim + space->feature[k]));
        return;
    }
    struct sparse_row sparse = matrix_sparse_row(x, i);
    const unsigned char *val = x->kind == MATRIX_SPARSE ? x->val + 4 * unaligned_u4(x->ptr + 4 * i)
                                                        : NULL;
    memset(row, 0, space->n * sizeof *row);
    for (size_t e = 0; e < sparse.n; e++) {
        size_t j = matrix_sparse_index(&sparse, e);
        if (j < space->reach && place[j])
            row[place[j] - 1] = val ? unaligned_f4(val + 4 * e) : 1;
    }
}

/* Do the rows lie in the round as they are? */
static bool lies_there(const struct memory_space *space)
{
    return space->x->kind == MATRIX_DENSE && !space->feature;
}

struct nearness_rows memory_space_rows(struct memory_space *space, size_t i, size_t docs,
                                       struct fault *fault)
{
    const struct matrix *x = space->x;
    if (lies_there(space))
        return (struct nearness_rows){ x->x + i * x->dim * sizeof(float), x->dim, space->n };
    float *row = buffer_for(&space->rows, docs * space->n, sizeof *row, fault);
    for (size_t d = 0; row && d < docs; d++) {
        if (space->feature)
            write_present(space, i + d, row + d * space->n);
        else
            write_out(x, i + d, space->n, row + d * space->n);
    }
    return (struct nearness_rows){ (const unsigned char *)row, space->n, space->n };
}

/* How many documents memory_space_rows gives at a time. */
static size_t block_at(const struct memory_space *space, size_t i)
{
    size_t left = space->x->docs - i;
    return lies_there(space) || left < BLOCK ? left : BLOCK;
}

/* The means of the features that the round has; one[docs] is 1. 0 or a fault (memory). */
static int find_means(struct memory_space *space, double *mean, double *one, struct fault *fault)
{
    size_t m = space->x->docs;
    memset(mean, 0, space->n * sizeof *mean);
    for (size_t i = 0; i < m; i++)
        one[i] = 1;
    for (size_t i = 0, docs; i < m; i += docs) {
        docs = block_at(space, i);
        struct nearness_rows rows = memory_space_rows(space, i, docs, fault);
        if (!rows.x) return -1;
        dense_add(&(struct dense){ rows.x, docs, rows.stride, rows.n }, one, mean);
    }
    for (size_t j = 0; j < space->n; j++)
        mean[j] /= (double)m;
    return 0;
}

int memory_space_start(struct memory_space *space, const struct matrix *x, size_t reach,
                       struct fault *fault)
{
    size_t width = matrix_width(x);
    space->x = x;
    space->reach = space->n = reach < width ? reach : width;
    space->feature = NULL;
    if (space->n > ALL && present_find(&space->present, x, space->n, fault) < 0) return -1;
    if (space->n > ALL && space->present.n < space->n / 2) {
        space->feature = space->present.feature;
        space->n = space->present.n;
    }
    double *mean = buffer_for(&space->means, space->n + x->docs, sizeof *mean, fault);
    space->mean = mean;
    if (mean && space->feature)
        return find_means(space, mean, mean + space->n, fault);
    if (mean)
        matrix_means(x, space->n, mean);
    return mean ? 0 : -1;
}

/* ---- neighbours ---- */

/* The mean squared distance of two documents: twice the sum of those from the mean / (m - 1). */
static int measure(struct memory_space *space, double *apart, struct fault *fault)
{
    size_t m = space->x->docs, whole = space->n + NEARNESS_OTHERS;
    float *mean = buffer_for(&space->sums, whole, sizeof *mean, fault);
    if (!mean) return -1;
    for (size_t j = 0; j < whole; j++)
        mean[j] = j < space->n ? (float)space->mean[j] : 0;
    *apart = 0;
    for (size_t i = 0, docs; i < m; i += docs) {
        docs = block_at(space, i);
        struct nearness_rows rows = memory_space_rows(space, i, docs, fault);
        if (!rows.x) return -1;
        *apart += nearness_spread(&rows, docs, mean);
    }
    *apart *= m > 1 ? 2 / (double)(m - 1) : 0;
    return 0;
}

/* Judged documents side by side. */
struct asked {
    float *other; /* other[n][16] */
    float e[NEARNESS_OTHERS], counts[NEARNESS_OTHERS];
};

/* Fills in up to 16 of the judged documents doc[count], which are worth e[count] more than
 * expected; that is in units of `unit`. */
static int ask(struct memory_space *space, const uint32_t *doc, const double *e, size_t count,
               double unit, struct asked *asked, struct fault *fault)
{
    size_t n = space->n;
    memset(asked->other, 0, n * NEARNESS_OTHERS * sizeof *asked->other);
    for (size_t l = 0; l < NEARNESS_OTHERS; l++) {
        asked->e[l] = asked->counts[l] = 0;
        if (l >= count)
            continue;
        struct nearness_rows rows = memory_space_rows(space, doc[l], 1, fault);
        if (!rows.x) return -1;
        for (size_t j = 0; j < n; j++)
            asked->other[NEARNESS_OTHERS * j + l] = unaligned_f4(rows.x + j * sizeof(float));
        asked->counts[l] = 1;
        asked->e[l] = (float)(e[l] / unit);
    }
    return 0;
}

/* Adds to a and b of the documents doc[count], in document order, what those asked say. */
static int tell(struct memory_space *space, struct nearness *nearness, const uint32_t *doc,
                size_t count, double *a, double *b, struct fault *fault)
{
    uint32_t here[BLOCK];
    if (lies_there(space)) {
        nearness->rows = memory_space_rows(space, 0, space->x->docs, fault);
        nearness->doc = doc;
        nearness->docs = count;
        nearness_add(nearness, a, b);
        return 0;
    }
    for (size_t i = 0; i < count;) {
        size_t first = doc[i], from = i, docs = block_at(space, first);
        nearness->rows = memory_space_rows(space, first, docs, fault);
        if (!nearness->rows.x) return -1;
        for (; i < count && doc[i] < first + docs; i++)
            here[i - from] = (uint32_t)(doc[i] - first);
        nearness->doc = here;
        nearness->docs = i - from;
        nearness_add(nearness, a + from, b + from);
    }
    return 0;
}

/* 16 judged documents at a time. The unit is the greatest |e|, so that all of them are floats. */
static int ask_all(struct memory_space *space, const struct memory_known *known,
                   const uint32_t *judged, size_t count, const uint32_t *other, size_t others,
                   double *a, double *b, struct fault *fault)
{
    double apart, e[ASKED], most = 0;
    struct asked asked = { .other = buffer_for(&space->judged, NEARNESS_OTHERS * space->n,
                                               sizeof(float), fault) };
    if (!asked.other || measure(space, &apart, fault) < 0) return -1;
    for (size_t h = 0; h < count; h++) {
        const struct memory_known *of = &known[judged[h]];
        e[h] = of->sum / of->n - of->expected;
        most = fabs(e[h]) > most ? fabs(e[h]) : most;
    }
    double unit = most > 0 ? most : 1;
    double scale = apart > 0 ? steepness / apart : 0;
    struct nearness nearness = { .other = asked.other, .e = asked.e, .counts = asked.counts,
                                 .scale = scale < FLT_MAX ? (float)scale : FLT_MAX };
    for (size_t h = 0; h < count; h += NEARNESS_OTHERS)
        if (ask(space, judged + h, e + h, count - h, unit, &asked, fault) < 0 ||
            tell(space, &nearness, other, others, a, b, fault) < 0)
            return -1;
    for (size_t i = 0; i < others; i++)
        a[i] *= unit;
    return 0;
}

int memory_near(struct memory_space *space, const struct memory_known *known, const bool *wanted,
                struct memory_nearness *near, struct fault *fault)
{
    size_t m = space->x->docs, count = 0, others = 0;
    double *sums = buffer_for(&space->doc, m, 4 * sizeof *sums + 2 * sizeof(uint32_t), fault);
    if (!sums) return -1;
    double *A = sums, *B = sums + m, *a = sums + 2 * m, *b = sums + 3 * m;
    uint32_t *judged = (uint32_t *)(sums + 4 * m), *other = judged + m;
    for (size_t i = 0; i < m; i++)
        if (memory_is_judged(&known[i]))
            judged[count++] = (uint32_t)i;
        else if (!wanted || wanted[i])
            other[others++] = (uint32_t)i;
    *near = (struct memory_nearness){ NULL, NULL };
    if (count == 0 || others == 0)
        return 0;
    if (count > ASKED) {
        judged += count - ASKED;
        count = ASKED;
    }
    memset(sums, 0, 4 * m * sizeof *sums);
    if (ask_all(space, known, judged, count, other, others, a, b, fault) < 0) return -1;
    for (size_t i = 0; i < others; i++) {
        A[other[i]] = a[i];
        B[other[i]] = b[i];
    }
    *near = (struct memory_nearness){ A, B };
    return 0;
}

void memory_space_close(struct memory_space *space)
{
    present_close(&space->present);
    buffer_free(&space->rows);
    buffer_free(&space->means);
    buffer_free(&space->sums);
    buffer_free(&space->judged);
    buffer_free(&space->doc);
    buffer_free(&space->parts);
}
