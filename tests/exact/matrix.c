/*
 * The products of dense, sparse and unit features, and single rows and their differences, to the
 * bit: against sums written out plainly here, feature j in lane j mod 16, the lanes added 8-4-2-1.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/matrix.h"
#include "math/rng.h"

enum { LANES = 16, DOCS = 7, DIM = 300, TRIALS = 40 };

static const size_t DIMS[] = { 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 46, 47, 48, 64, 136, 255, DIM };

struct bench {
    struct rng rng;
    size_t docs, dim;
    float x[DOCS][DIM];
    double w[2 * DIM], g[DOCS];
    /* the same features as a stream holds them, some bytes off any alignment */
    unsigned char dense[DOCS * DIM * 4 + 8], ptr[(DOCS + 1) * 4 + 8];
    unsigned char idx[DOCS * DIM * 4 + 8], val[DOCS * DIM * 4 + 8];
    unsigned long cases, wrong;
    unsigned long products, others; /* other from left to right: those that show the order */
};

/* ---- what it should be ---- */

static double add_lanes(const double *lane)
{
    double eight[8], four[4], two[2];
    for (int l = 0; l < 8; l++)
        eight[l] = lane[l] + lane[l + 8];
    for (int l = 0; l < 4; l++)
        four[l] = eight[l] + eight[l + 4];
    for (int l = 0; l < 2; l++)
        two[l] = four[l] + four[l + 2];
    return two[0] + two[1];
}

/* A weight that is missing is 0. */
static double times(const float *x, size_t dim, const double *w, size_t n)
{
    double lane[LANES] = { 0 };
    for (size_t j = 0; j < dim; j++) {
        double product = (double)x[j] * (j < n ? w[j] : 0);
        lane[j % LANES] += product;
    }
    return add_lanes(lane);
}

/* Of widened features. */
static double times_wide(const double *x, size_t dim, const double *w)
{
    double lane[LANES] = { 0 };
    for (size_t j = 0; j < dim; j++)
        lane[j % LANES] += x[j] * w[j];
    return add_lanes(lane);
}

static double left_to_right(const float *x, size_t dim, const double *w, size_t n)
{
    double sum = 0;
    for (size_t j = 0; j < dim && j < n; j++)
        sum += (double)x[j] * w[j];
    return sum;
}

/* ---- features ---- */

static double any(struct bench *bench)
{
    int exponent = (int)rng_below(&bench->rng, 40) - 20;
    return ldexp(2 * rng_unit(&bench->rng) - 1, exponent);
}

/* `absent` in eight features are 0. */
static void fill(struct bench *bench, size_t dim, uint32_t absent)
{
    bench->docs = 1 + rng_below(&bench->rng, DOCS);
    bench->dim = dim;
    for (size_t i = 0; i < bench->docs; i++)
        for (size_t j = 0; j < dim; j++)
            bench->x[i][j] = rng_below(&bench->rng, 8) < absent ? 0 : (float)any(bench);
    for (size_t j = 0; j < 2 * DIM; j++)
        bench->w[j] = any(bench);
    for (size_t i = 0; i < bench->docs; i++)
        bench->g[i] = rng_below(&bench->rng, 3) ? any(bench) : 0;
}

static void store(unsigned char *to, size_t i, const void *value)
{
    memcpy(to + 4 * i, value, 4);
}

static struct matrix as_dense(struct bench *bench, size_t off)
{
    struct matrix x = { .kind = MATRIX_DENSE, .docs = bench->docs, .dim = bench->dim };
    for (size_t i = 0; i < bench->docs; i++)
        for (size_t j = 0; j < bench->dim; j++)
            store(bench->dense + off, i * bench->dim + j, &bench->x[i][j]);
    x.x = bench->dense + off;
    return x;
}

/* zeros: as values that are 0, or not there. */
static struct matrix as_sparse(struct bench *bench, size_t off, int zeros)
{
    struct matrix x = { .kind = MATRIX_SPARSE, .docs = bench->docs, .dim = bench->dim };
    uint32_t nnz = 0;
    store(bench->ptr + off, 0, &nnz);
    for (size_t i = 0; i < bench->docs; i++) {
        for (uint32_t j = 0; j < bench->dim; j++) {
            if (bench->x[i][j] == 0 && !zeros)
                continue;
            store(bench->idx + off, nnz, &j);
            store(bench->val + off, nnz++, &bench->x[i][j]);
        }
        store(bench->ptr + off, i + 1, &nnz);
    }
    x.ptr = bench->ptr + off;
    x.idx = bench->idx + off;
    x.val = bench->val + off;
    return x;
}

/* ---- comparisons ---- */

static void same(struct bench *bench, const char *what, size_t n, size_t at, double got,
                 double want)
{
    bench->cases++;
    if (memcmp(&got, &want, sizeof got) == 0)
        return;
    if (bench->wrong++ < 10)
        fprintf(stderr, "%s: docs=%zu dim=%zu n=%zu, at %zu: %a, not %a\n", what, bench->docs,
                bench->dim, n, at, got, want);
}

static void check_times(struct bench *bench, const struct matrix *x, const char *what, size_t n)
{
    double s[DOCS], w[2 * DIM];
    for (size_t j = 0; j < 2 * DIM; j++)
        w[j] = j < n ? bench->w[j] : NAN; /* not to be looked at */
    matrix_times(x, w, 1, n, s, NULL);
    for (size_t i = 0; i < bench->docs; i++) {
        double want = times(bench->x[i], bench->dim, bench->w, n);
        same(bench, what, n, i, s[i], want);
        bench->products++;
        bench->others += left_to_right(bench->x[i], bench->dim, bench->w, n) != want;
    }
}

/* The weights 1/2 w + first e_1, also where there are none of w. */
static void check_times_from(struct bench *bench, const struct matrix *x, const char *what,
                             size_t n)
{
    double s[DOCS], w[2 * DIM], made[2 * DIM] = { 0 }, spare[DIM], first = 0.3;
    for (size_t j = 0; j < 2 * DIM; j++) {
        w[j] = j < n ? bench->w[j] : NAN;
        made[j] = j < n ? 0.5 * w[j] : 0;
    }
    made[0] += first;
    matrix_times_from(x, first, w, 0.5, n, s, spare);
    for (size_t i = 0; i < bench->docs; i++)
        same(bench, what, n, i, s[i], times(bench->x[i], bench->dim, made, n > 0 ? n : 1));
}

static void check_transposed(struct bench *bench, const struct matrix *x, const char *what)
{
    double z[DIM + 1], want[DIM + 1];
    for (size_t j = 0; j <= DIM; j++)
        z[j] = want[j] = bench->w[DIM + j % DIM];
    for (size_t i = 0; i < bench->docs; i++)
        for (size_t j = 0; j < bench->dim; j++)
            want[j] += bench->g[i] * (double)bench->x[i][j];
    matrix_transposed_times(x, bench->g, z);
    for (size_t j = 0; j <= DIM; j++)
        same(bench, what, bench->dim, j, z[j], want[j]);
}

/* The means of the first n features; of those that a matrix knows the sums of, these are taken. */
static void check_means(struct bench *bench, const struct matrix *x, const char *what, size_t n)
{
    double mean[DIM + 2], sum[DIM + 1];
    struct matrix known = *x;
    for (size_t twice = 0; twice < 2; twice++) {
        mean[n] = 7;
        matrix_means(twice ? &known : x, n, mean);
        for (size_t j = 0; j < n; j++) {
            double want = 0;
            for (size_t i = 0; i < bench->docs && j < bench->dim; i++)
                want += (double)bench->x[i][j];
            same(bench, what, n, j, mean[j], (want + (double)twice * (j < bench->dim)) /
                                                 (double)bench->docs);
            sum[j] = want + 1;
        }
        same(bench, what, n, n, mean[n], 7);
        known.sum = sum;
    }
}

/* What a row adds up with, for one that should be x[dim]. What is missing must be a 0. */
static void check_row(struct bench *bench, const struct row *row, const double *x,
                      const char *what)
{
    double w[DIM + 1], want[DIM + 1], spread[DIM] = { 0 };
    size_t dim = bench->dim;
    for (size_t e = 0; e < row->n; e++) {
        size_t j = row->idx ? row->idx[e] : e;
        if (j >= dim || (e && row->idx && row->idx[e - 1] >= j)) {
            fprintf(stderr, "%s: dim=%zu: feature %zu out of order\n", what, dim, j);
            bench->wrong++;
            return;
        }
        spread[j] = row->val[e];
    }
    for (size_t j = 0; j <= DIM; j++)
        w[j] = want[j] = bench->w[j];
    matrix_row_add(row, bench->g[0], w);
    for (size_t j = 0; j < dim; j++) {
        same(bench, what, dim, j, spread[j], x[j]);
        want[j] += bench->g[0] * x[j];
    }
    for (size_t j = 0; j <= DIM; j++)
        same(bench, what, dim, j, w[j], want[j]);
    for (size_t j = dim; j <= DIM; j++)
        w[j] = NAN; /* not to be looked at */
    same(bench, what, dim, 0, matrix_row_times(row, w), times_wide(x, dim, want));
    same(bench, what, dim, 0, matrix_row_square(row), times_wide(x, dim, x));
}

/* Each document's features, and what each has more than each other. */
static void check_rows(struct bench *bench, const struct matrix *x, const char *what)
{
    double val[DIM], want[DIM];
    uint32_t idx[DIM];
    for (size_t i = 0; i < bench->docs; i++) {
        for (size_t f = 0; f < bench->dim; f++)
            want[f] = bench->x[i][f];
        struct row row = matrix_row(x, i, val, idx);
        check_row(bench, &row, want, what);
        for (size_t j = 0; j < bench->docs; j++) {
            for (size_t f = 0; f < bench->dim; f++)
                want[f] = (double)bench->x[i][f] - (double)bench->x[j][f];
            if (i == j)
                continue;
            row = matrix_difference(x, i, j, val, idx);
            check_row(bench, &row, want, what);
        }
    }
}

static void check(struct bench *bench, const struct matrix *x, const char *what)
{
    size_t dim = bench->dim;
    const size_t weights[] = { 0, 1, dim / 2, dim - 1, dim, dim + 1, dim + LANES, 2 * DIM };
    if (matrix_width(x) != dim) {
        fprintf(stderr, "%s: width %zu, not %zu\n", what, matrix_width(x), dim);
        bench->wrong++;
    }
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        check_times(bench, x, what, weights[i]);
        check_times_from(bench, x, what, weights[i]);
    }
    check_transposed(bench, x, what);
    for (size_t n = 0; n <= dim + 1; n += n + 2 < dim ? dim / 2 : 1)
        check_means(bench, x, what, n);
    check_rows(bench, x, what);
}

static void check_features(struct bench *bench)
{
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        for (size_t d = 0; d < sizeof DIMS / sizeof *DIMS; d++) {
            size_t off = trial % 8;
            struct matrix x;
            fill(bench, DIMS[d], trial % 9);
            x = as_dense(bench, off);
            check(bench, &x, "dense");
            x = as_sparse(bench, off, 0);
            check(bench, &x, "sparse");
            x = as_sparse(bench, off, 1);
            check(bench, &x, "sparse with zeros");
        }
    }
}

/* A fixed list of items is as wide as it is long. */
static void check_units(struct bench *bench)
{
    for (size_t m = 1; m <= DOCS; m++) {
        fill(bench, m, 0);
        bench->docs = m;
        for (size_t i = 0; i < m; i++) {
            for (size_t j = 0; j < m; j++)
                bench->x[i][j] = i == j;
            bench->g[i] = any(bench);
        }
        struct matrix unit = { .kind = MATRIX_UNIT, .docs = m, .dim = 0 };
        check(bench, &unit, "unit");
        struct matrix dense = as_dense(bench, 3);
        check(bench, &dense, "dense units");
    }
}

/* A document that takes no part in a step takes none, whatever its features are. */
static void check_idle(struct bench *bench)
{
    double z[DIM];
    fill(bench, 33, 2);
    bench->docs = 3;
    for (size_t j = 0; j < bench->dim; j++)
        bench->x[1][j] = j % 2 ? NAN : INFINITY;
    bench->g[0] = bench->g[2] = 0.5;
    bench->g[1] = 0;
    struct matrix form[] = { as_dense(bench, 1), as_sparse(bench, 1, 0) };
    for (size_t f = 0; f < 2; f++) {
        memset(z, 0, sizeof z);
        matrix_transposed_times(&form[f], bench->g, z);
        for (size_t j = 0; j < bench->dim; j++)
            same(bench, "a document with g = 0", bench->dim, j, z[j],
                 0.5 * (double)bench->x[0][j] + 0.5 * (double)bench->x[2][j]);
    }
}

/* Many documents. */
static void check_long(struct bench *bench)
{
    enum { MANY = 200 };
    float x[2 * MANY];
    for (size_t m = 1; m <= MANY; m += 1 + m / 20) {
        double mean[2], sum[2] = { 0 };
        for (size_t e = 0; e < 2 * m; e++)
            sum[e % 2] += (double)(x[e] = (float)any(bench));
        const struct matrix dense = { .kind = MATRIX_DENSE, .docs = m, .dim = 2,
                                      .x = (const unsigned char *)x };
        matrix_means(&dense, 2, mean);
        for (size_t j = 0; j < 2; j++)
            same(bench, "means of many", m, j, mean[j], sum[j] / (double)m);
    }
}

static void check_norm(struct bench *bench)
{
    for (size_t n = 0; n <= 100; n++) {
        double lane[LANES] = { 0 };
        fill(bench, DIM, 0);
        for (size_t j = 0; j < n; j++)
            lane[j % LANES] += bench->w[j] * bench->w[j];
        same(bench, "norm", n, 0, matrix_norm(bench->w, n), sqrt(add_lanes(lane)));
    }
}

int main(void)
{
    static struct bench bench;
    bench.rng = rng_at(1, RNG_SAMPLE, 1);
    check_features(&bench);
    check_units(&bench);
    check_idle(&bench);
    check_long(&bench);
    check_norm(&bench);
    printf("matrix: %lu numbers; %lu of %lu products are others if added from left to right\n",
           bench.cases, bench.others, bench.products);
    if (bench.others < bench.products / 5) {
        fprintf(stderr, "matrix: the order of adding up is not put to the test\n");
        bench.wrong++;
    }
    if (bench.wrong)
        fprintf(stderr, "matrix: %lu wrong\n", bench.wrong);
    return bench.wrong ? 1 : 0;
}
