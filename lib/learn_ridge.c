/* Regression on what was seen. */
#include "learn_ridge.h"

#include <math.h>
#include <string.h>

#include "load.h"
#include "triangle.h"

/* What is kept: the weights of the means, and the inverse P. Unless features are plain its rows go
 * by twos, of feature j's deviation and of its mean: so it grows at its end. */
enum { LEVEL, INVERSE };

/* What a round is worked out in. */
struct sheet {
    size_t n, step;     /* rows of P, and of each feature: 2, plain 1 */
    double *z, *u;      /* z[n], u[n]                                 */
    double *mean, *val; /* mean[dim], val[dim]                        */
    uint32_t *idx;      /* idx[dim]                                   */
};

static int start(struct sheet *sheet, struct state *state, struct fault *fault)
{
    size_t d = state->dim;
    double *at = space_for(&state->scratch, d, 6 * sizeof *at + sizeof *sheet->idx, fault);
    if (!at)
        return -1;
    sheet->step = state->settings.set[SETTING_PLAIN] ? 1 : 2;
    sheet->n = sheet->step * d;
    sheet->z = at;
    sheet->u = at + 2 * d;
    sheet->mean = at + 4 * d;
    sheet->val = at + 5 * d;
    sheet->idx = (uint32_t *)(at + 6 * d);
    return 0;
}

/* The mean of the round's documents, seen or not. */
static int average(struct sheet *sheet, struct state *state, const struct matrix *x,
                   struct fault *fault)
{
    memset(sheet->mean, 0, state->dim * sizeof *sheet->mean);
    if (sheet->step == 1)
        return 0;
    double *one = space_for(&state->scores, x->docs, sizeof *one, fault);
    if (!one)
        return -1;
    for (size_t i = 0; i < x->docs; i++)
        one[i] = 1;
    matrix_transposed_times(x, one, sheet->mean);
    for (size_t j = 0; j < state->dim; j++)
        sheet->mean[j] /= (double)x->docs;
    return 0;
}

/* z of document i. */
static void spell(struct sheet *sheet, const struct matrix *x, size_t i)
{
    size_t step = sheet->step;
    struct row row = matrix_row(x, i, sheet->val, sheet->idx);
    for (size_t j = 0; j < sheet->n / step; j++) {
        sheet->z[step * j + step - 1] = sheet->mean[j];
        sheet->z[step * j] = 0 - sheet->mean[j];
    }
    for (size_t e = 0; e < row.n; e++)
        sheet->z[step * (row.idx ? row.idx[e] : e)] += row.val[e];
}

/* What the weights make of z. */
static double expect(const struct sheet *sheet, const double *w, const double *level)
{
    double sum = 0;
    for (size_t j = 0; sheet->step == 1 && j < sheet->n; j++)
        sum += sheet->z[j] * w[j];
    for (size_t j = 0; sheet->step == 2 && j < sheet->n / 2; j++)
        sum += sheet->z[2 * j] * w[j] + sheet->z[2 * j + 1] * level[j];
    return sum;
}

/* The weights += a u. */
static void move(const struct sheet *sheet, double a, double *w, double *level)
{
    for (size_t j = 0; sheet->step == 1 && j < sheet->n; j++)
        w[j] += a * sheet->u[j];
    for (size_t j = 0; sheet->step == 2 && j < sheet->n / 2; j++) {
        w[j] += a * sheet->u[2 * j];
        level[j] += a * sheet->u[2 * j + 1];
    }
}

/* One document: w becomes the least squares of all up to it (Sherman & Morrison 1950). */
static int regress(struct sheet *sheet, struct state *state, double relevance,
                   struct fault *fault)
{
    double *p = state->kept[INVERSE], *level = state->kept[LEVEL];
    struct row z = { sheet->n, NULL, sheet->z };
    triangle_times(p, sheet->n, sheet->z, sheet->u);
    double b = row_times(&z, sheet->u) + state->settings.value[SETTING_TRADEOFF];
    if (!(b > 0) || isinf(b))
        return fault_data(fault, "z'P z + lambda is %g: a feature is no finite number or too "
                          "large, or P is no longer positive; a larger -C, or smaller features",
                          b);
    move(sheet, (relevance - expect(sheet, state->w, level)) / b, state->w, level);
    double root = sqrt(b);
    for (size_t k = 0; k < sheet->n; k++)
        sheet->u[k] /= root;
    triangle_less(p, sheet->n, sheet->u);
    return 0;
}

static int learn(struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    struct heard heard;
    struct sheet sheet;
    if (learner_hear(state, round, &heard, fault) < 0 || start(&sheet, state, fault) < 0 ||
        average(&sheet, state, x, fault) < 0)
        return -1;
    for (size_t h = 0; h < heard.docs; h++) {
        spell(&sheet, x, heard.doc[h]);
        if (regress(&sheet, state, heard.relevance[h], fault) < 0)
            return -1;
    }
    if (!load_finite(state->kept[LEVEL], state->dim))
        return fault_data(fault, "its step would make a mean's weight infinite or NaN");
    return learner_check(state, fault);
}

const struct learner learn_ridge = {
    .name = "ridge", .letters = "Cp", .least = 1, .learn = learn,
    .kept = { [LEVEL] = { "level", KEPT_VECTORS, SETTINGS },
              [INVERSE] = { "inverse", KEPT_TRIANGLE, SETTING_PLAIN } },
    .preset = { [SETTING_TRADEOFF] = 1 },
    .most = 4096,
};
