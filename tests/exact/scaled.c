/*
 * Features that are scaled become the same from dense rows as from sparse
 * ones; scaled ones, and ranks, are what their definitions say. Numbers that are not finite are
 * found.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feature/steps.h"
#include "math/matrix.h"
#include "math/rng.h"

enum { DOCS = 40, DIM = 20, NUMBERS = 90, TRIALS = 1800, APART = 200 };

static unsigned long cases, wrong;

static void same(const char *what, size_t n, const void *got, const void *want, size_t bytes)
{
    cases++;
    if (memcmp(got, want, bytes) == 0)
        return;
    if (wrong++ < 10)
        fprintf(stderr, "scaled: %s, %zu: other bits\n", what, n);
}

static double feature(const unsigned char *x, size_t i)
{
    float f;
    memcpy(&f, x + 4 * i, sizeof f);
    return f;
}

/* The same features in the sparse form, without zeros. */
static struct matrix as_sparse(const struct matrix *x)
{
    static uint32_t ptr[DOCS + 1], idx[DOCS * DIM];
    static float val[DOCS * DIM];
    uint32_t n = 0;
    for (size_t i = 0; i < x->docs; i++) {
        for (size_t j = 0; j < x->dim; j++) {
            float f = (float)feature(x->x, i * x->dim + j);
            if (f == 0)
                continue;
            idx[n] = (uint32_t)j;
            val[n++] = f;
        }
        ptr[i + 1] = n;
    }
    return (struct matrix){ .kind = MATRIX_SPARSE, .docs = x->docs, .dim = x->dim,
                            .ptr = (const unsigned char *)ptr, .idx = (const unsigned char *)idx,
                            .val = (const unsigned char *)val };
}

static void compare_steps(const char *list, const struct matrix *x)
{
    struct steps one = { 0 }, other = { 0 };
    struct fault fault = { 0 }, why = { 0 };
    struct matrix y, want, z = as_sparse(x);
    steps_parse(&one, list, &fault);
    steps_parse(&other, list, &fault);
    int done = steps_apply(&one, x, NULL, &y, &fault);
    int right = steps_apply(&other, &z, NULL, &want, &why);
    same(list, x->dim, &done, &right, sizeof done);
    if (done == 0 && right == 0) {
        same(list, x->dim, &y.kind, &want.kind, sizeof y.kind);
        if (y.kind == want.kind)
            same(list, x->dim, y.kind == MATRIX_DENSE ? y.x : y.val,
                 y.kind == MATRIX_DENSE ? want.x : want.val, 4 * matrix_entries(&want));
    } else {
        same(list, x->dim, fault.text, why.text, strlen(why.text) + 1);
    }
    steps_close(&one);
    steps_close(&other);
}

/* The features that a step makes of x, as rows. False with a fault. */
static bool made_by(const char *list, const struct matrix *x, float *got, size_t dim, size_t apart)
{
    struct steps steps = { 0 };
    struct fault fault = { 0 };
    struct matrix y;
    static double val[DIM * APART];
    static uint32_t idx[DIM * APART];
    steps_parse(&steps, list, &fault);
    bool done = steps_apply(&steps, x, NULL, &y, &fault) == 0;
    memset(got, 0, x->docs * dim * sizeof *got);
    for (size_t i = 0; done && i < x->docs; i++) {
        struct row row = matrix_row(&y, i, val, idx);
        for (size_t e = 0; e < row.n; e++)
            if ((row.idx ? row.idx[e] : e) % apart == 0)
                got[i * dim + (row.idx ? row.idx[e] : e) / apart] = (float)row.val[e];
    }
    for (size_t j = 0; done && y.sum && j < dim; j++) {
        double sum = 0;
        for (size_t i = 0; i < x->docs; i++)
            sum += (double)got[i * dim + j];
        same("sum of a feature that was made", j, &y.sum[j], &sum, sizeof sum);
    }
    steps_close(&steps);
    return done;
}

/* Each scaled feature is (value - least) / (largest - least), by the inverse of the latter, and +0
 * where these are equal; a value that is not finite is refused. */
static void check_scale(const struct matrix *x)
{
    bool finite = true;
    static float want[DOCS * DIM], got[DOCS * DIM];
    for (size_t j = 0; j < x->dim; j++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < x->docs; i++) {
            double value = feature(x->x, i * x->dim + j);
            low = fmin(low, value);
            high = fmax(high, value);
            finite = finite && isfinite(value);
        }
        for (size_t i = 0; i < x->docs; i++) {
            double above = feature(x->x, i * x->dim + j) - low;
            want[i * x->dim + j] = above == 0 ? 0 : (float)(above * (1 / (high - low)));
        }
    }
    bool done = made_by("scale", x, got, x->dim, 1);
    same("scale of finite features", x->dim, &done, &finite, sizeof done);
    if (done && finite)
        same("scale by its definition", x->dim, got, want,
             x->docs * x->dim * sizeof *got);
}

/* Each rank is (smaller + (equal - 1) / 2) of its feature, less the least, over the largest less
 * the least. */
static void rank_plainly(const struct matrix *x, float *want)
{
    for (size_t j = 0; j < x->dim; j++) {
        double rank[DOCS], low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < x->docs; i++) {
            rank[i] = -1;
            for (size_t k = 0; k < x->docs; k++) {
                double one = feature(x->x, i * x->dim + j), other = feature(x->x, k * x->dim + j);
                rank[i] += 2 * (other < one) + (other == one);
            }
            low = fmin(low, rank[i]);
            high = fmax(high, rank[i]);
        }
        for (size_t i = 0; i < x->docs; i++)
            want[i * x->dim + j] = high > low ? (float)((rank[i] - low) * (1 / (high - low))) : 0;
    }
}

/* Features far apart, most of the others listed by no document, become the same. */
static void check_apart(const struct matrix *x)
{
    static float want[DOCS * DIM], got[DOCS * DIM], ranks[DOCS * DIM];
    static uint32_t idx[DOCS * DIM];
    size_t bytes = x->docs * x->dim * sizeof *got;
    struct matrix far = as_sparse(x);
    for (size_t e = 0; e < matrix_entries(&far); e++) {
        memcpy(&idx[e], far.idx + 4 * e, sizeof *idx);
        idx[e] *= APART;
    }
    far.idx = (const unsigned char *)idx;
    far.dim *= APART;
    bool done = made_by("scale", x, want, x->dim, 1);
    bool alike = made_by("scale", &far, got, x->dim, APART);
    same("scale of features far apart", x->dim, &alike, &done, sizeof done);
    same("scale of features far apart", x->dim, got, want, bytes);
    alike = made_by("rank", x, want, x->dim, 1);
    same("rank of finite features", x->dim, &alike, &done, sizeof done);
    if (!done)
        return;
    (void)made_by("rank", &far, got, x->dim, APART);
    rank_plainly(x, ranks);
    same("rank by its definition", x->dim, want, ranks, bytes);
    same("rank of features far apart", x->dim, got, ranks, bytes);
}

static void check_steps(struct rng *rng)
{
    enum { SMALL = 20 };
    static const float odd[] = { INFINITY, 0, -0.0F, -1e-38F, 3e38F, -3e38F, -INFINITY, NAN };
    unsigned char bytes[4 * DOCS * SMALL + 8], *x = bytes + rng_below(rng, 8);
    struct matrix dense = { .kind = MATRIX_DENSE, .docs = 1 + rng_below(rng, DOCS),
                            .dim = 1 + rng_below(rng, SMALL), .x = x };
    size_t n = dense.docs * dense.dim;
    /* many zeros make the sparse form the smaller one; few values, none below 0, go by ranges */
    uint32_t zeros = 1 + rng_below(rng, rng_below(rng, 3) ? 6 : 40);
    double least = rng_below(rng, 2);
    for (size_t i = 0; i < n; i++) {
        float f = rng_below(rng, zeros) ? 0 : (float)((2 - least) * rng_unit(rng) - 1 + least);
        memcpy(x + 4 * i, rng_below(rng, 60) ? &f : &odd[1 + rng_below(rng, 3)], sizeof f);
    }
    if (rng_below(rng, 4) == 0)
        memcpy(x + 4 * rng_below(rng, (uint32_t)n), &odd[rng_below(rng, 8)], sizeof *odd);
    compare_steps("log", &dense);
    compare_steps("scale", &dense);
    check_scale(&dense);
    check_apart(&dense);
}

/* ---- numbers that are not finite ---- */

/* Of n numbers, the first that is not finite is found, wherever it is; what is around them is not
 * looked at. */
static void check_finite(size_t n)
{
    static const double odd[] = { INFINITY, -INFINITY, NAN };
    double s[NUMBERS + 2];
    for (size_t at = 0; at <= n; at++) {
        struct fault fault = { FAULT_NONE, "" }, want = { FAULT_NONE, "" };
        for (size_t i = 0; i < NUMBERS + 2; i++)
            s[i] = i == 0 || i > at ? odd[at % 3] : i % 2 ? 1e308 : -1e308;
        if (at < n)
            (void)fault_data(&want, "document %zu scores %g: why", at, odd[at % 3]);
        (void)finite_scores(n, s + 1, "why", &fault);
        same("not finite", n, fault.text, want.text, sizeof fault.text);
    }
}

int main(void)
{
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    for (size_t trial = 0; trial < TRIALS; trial++)
        check_steps(&rng);
    for (size_t n = 0; n <= NUMBERS; n++)
        check_finite(n);
    printf("scaled: %lu comparisons\n", cases);
    if (wrong)
        fprintf(stderr, "scaled: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
