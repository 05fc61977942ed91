/*
 * Compact features against their definition: on values of every kind, the number nearest to each on
 * the feature's grid, and of it the value offset + step * number, each operation rounded to float.
 *
 * usage: compact [QUERIES]    (default: 20000)
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/compact.h"
#include "math/rng.h"

enum { DOCS = 40, DIM = 21, SIGNIFICANT = 24 };

static struct bench {
    struct rng rng;
    size_t docs, dim, width;
    float x[DOCS][DIM]; /* what is made compact */
    float offset[DIM], step[DIM], got[DOCS][DIM];
    unsigned char number[2 * DOCS * DIM];
    /* the same as a stream holds it, a byte off any alignment */
    unsigned char offsets[4 * DIM + 1], steps[4 * DIM + 1], numbers[2 * DOCS * DIM + 1];
    struct compact_memory memory;
    unsigned long whole, grids, exact, rounded, zeros, dense, sparse, large, wrong;
} bench;

static void hold(bool right, const char *what, size_t j, float value, float got)
{
    if (!right && bench.wrong++ < 20)
        printf("compact: %s: feature %zu with offset %.9g and step %.9g, %zu bytes: %.9g became "
               "%.9g\n", what, j, (double)bench.offset[j], (double)bench.step[j], bench.width,
               (double)value, (double)got);
}

static uint32_t top(void)
{
    return bench.width == 1 ? 255 : 65535;
}

static double between(double low, double high)
{
    return low + (high - low) * rng_unit(&bench.rng);
}

/* ---- values ---- */

enum kind { CONSTANT, ZEROS, BINARY, COUNTS, DECIMAL, SIGNED, NEGATIVE, FAR, TINY, HUGE_ONES, RARE,
            POWERS, MINUS_ZERO, KINDS };

static float draw(enum kind kind, double scale)
{
    double u = rng_unit(&bench.rng);
    switch (kind) {
    case CONSTANT:
        return (float)scale;
    case ZEROS:
        return 0;
    case BINARY:
        return u < 0.5 ? 0 : 1;
    case COUNTS: /* whole numbers, at most 255 apart */
        return (float)(100 + floor(256 * u));
    case DECIMAL:
        return (float)(scale * u);
    case SIGNED:
        return u < 0.2 ? 0 : (float)(scale * (u - 0.6));
    case NEGATIVE:
        return u < 0.1 ? 0 : (float)(-scale * u);
    case FAR: /* from 0, so that neighbouring floats are as far apart as numbers, or farther */
        return (float)(1e8 + 2000 * u);
    case TINY:
        return ldexpf((float)floor(between(-3, 400) * (u < 0.5 ? 1 : 300)), -149);
    case HUGE_ONES:
        return (float)(between(-1, 1) * (u < 0.1 ? (double)FLT_MAX : 1e38));
    case RARE:
        return u < 0.9 ? 0 : (float)(scale * u);
    case POWERS:
        return (float)pow(10, between(-30, 30));
    default:
        return u < 0.5 ? -0.0F : 0.0F;
    }
}

static void draw_query(unsigned long q)
{
    bench.docs = 1 + (size_t)(DOCS * rng_unit(&bench.rng));
    bench.dim = 1 + (size_t)(DIM * rng_unit(&bench.rng));
    bench.width = 1 + q % 2;
    bool rare = q % 5 == 0; /* most values are 0, so that the form is sparse */
    for (size_t j = 0; j < bench.dim; j++) {
        double scale = pow(10, between(-6, 6));
        enum kind kind = rare ? RARE : (enum kind)(KINDS * rng_unit(&bench.rng));
        if (kind == HUGE_ONES && q % 9 > 1) /* one such feature is too much for the query */
            kind = SIGNED;
        for (size_t i = 0; i < bench.docs; i++)
            bench.x[i][j] = draw(kind, scale);
    }
}

/* ---- what must hold ---- */

/* The value of a number, by the definition. */
static float value_of(size_t j, uint32_t number)
{
    volatile float product = bench.step[j] * (float)number;
    volatile float sum = bench.offset[j] + product;
    return sum;
}

static uint32_t number_at(size_t i, size_t j)
{
    uint16_t two;
    size_t at = i * bench.dim + j;
    if (bench.width == 1)
        return bench.number[at];
    memcpy(&two, bench.number + 2 * at, sizeof two);
    return two;
}

static bool are_counts(size_t j, float least)
{
    for (size_t i = 0; i < bench.docs; i++)
        if (bench.x[i][j] != floorf(bench.x[i][j]) || bench.x[i][j] - least > (float)top() ||
            fabsf(bench.x[i][j]) > 1e6F)
            return false;
    return true;
}

/* Half a step, and what rounding the product and the sum may add. */
static void check_error(size_t i, size_t j)
{
    double value = (double)bench.x[i][j], got = (double)bench.got[i][j];
    double step = (double)bench.step[j], ulp = ldexp(1, -SIGNIFICANT);
    double product = step * (double)number_at(i, j), error = fabs(value - got);
    hold(error <= step / 2 + ulp * product + ulp * fabs(got) + ldexp(1, -149), "error", j,
         bench.x[i][j], bench.got[i][j]);
    hold(value != 0 || got == 0, "a zero is kept", j, bench.x[i][j], bench.got[i][j]);
    bench.zeros += value == 0;
    bench.exact += value == got;
    bench.rounded += value != got;
}

/* A larger value is not smaller then, and an equal one is equal. */
static void check_order(size_t j)
{
    for (size_t a = 0; a < bench.docs; a++)
        for (size_t b = 0; b < bench.docs; b++)
            if (bench.x[a][j] <= bench.x[b][j])
                hold(bench.got[a][j] <= bench.got[b][j], "order", j, bench.x[a][j],
                     bench.got[a][j]);
}

/* A step is the range over the largest number; or else a power of two, by which all values are
 * exact. */
static void check_feature(size_t j)
{
    float least = bench.x[0][j], most = bench.x[0][j];
    bool exact = true, counts;
    for (size_t i = 0; i < bench.docs; i++) {
        least = fminf(least, bench.x[i][j]);
        most = fmaxf(most, bench.x[i][j]);
        exact = exact && bench.got[i][j] == bench.x[i][j];
        check_error(i, j);
    }
    double range = (double)most - (double)least;
    double fine = range / top() * (1 + ldexp(1, -SIGNIFICANT));
    hold(exact || (double)bench.step[j] <= fine + ldexp(1, -149), "step", j, most, least);
    hold(exact || range > 0, "a constant is kept", j, least, bench.got[0][j]);
    counts = are_counts(j, least);
    hold(exact || !counts, "counts are kept", j, least, bench.got[0][j]);
    bench.grids++;
    bench.whole += counts;
    check_order(j);
}

/* Does *x have the same features, in the form that takes fewer bytes? */
static void check_matrix(const struct matrix *x)
{
    size_t nonzero = 0, e = 0;
    for (size_t i = 0; i < bench.docs; i++)
        for (size_t j = 0; j < bench.dim; j++)
            nonzero += value_of(j, number_at(i, j)) != 0;
    bool dense = bench.docs * bench.dim * 4 <= 4 * (bench.docs + 1) + 8 * nonzero;
    hold((x->kind == MATRIX_DENSE) == dense && x->docs == bench.docs && x->dim == bench.dim,
         "form", 0, 0, 0);
    *(dense ? &bench.dense : &bench.sparse) += 1;
    for (size_t i = 0; i < bench.docs; i++) {
        uint32_t end, idx;
        for (size_t j = 0; j < bench.dim; j++) {
            float value = value_of(j, number_at(i, j)), got = 0;
            if (dense) {
                memcpy(&got, x->x + 4 * (i * bench.dim + j), sizeof got);
            } else if (value != 0) {
                memcpy(&got, x->val + 4 * e, sizeof got);
                memcpy(&idx, x->idx + 4 * e++, sizeof idx);
                hold(idx == j, "index", j, value, (float)idx);
            }
            hold(value == got, "value", j, value, got);
            bench.got[i][j] = value;
        }
        if (!dense) {
            memcpy(&end, x->ptr + 4 * (i + 1), sizeof end);
            hold(end == e, "row", i, (float)e, (float)end);
        }
    }
}

/* ---- sparse input ---- */

static unsigned char ptr[4 * (DOCS + 1)], idx[4 * DOCS * DIM], val[4 * DOCS * DIM];

/* The features that are not 0, in sparse form. */
static struct matrix sparse(void)
{
    uint32_t n = 0;
    memcpy(ptr, &n, sizeof n);
    for (size_t i = 0; i < bench.docs; i++) {
        for (uint32_t j = 0; j < bench.dim; j++) {
            if (bench.x[i][j] != 0) {
                memcpy(idx + 4 * n, &j, sizeof j);
                memcpy(val + 4 * n++, &bench.x[i][j], sizeof(float));
            }
        }
        memcpy(ptr + 4 * (i + 1), &n, sizeof n);
    }
    return (struct matrix){ .kind = MATRIX_SPARSE, .docs = bench.docs, .dim = bench.dim,
                            .ptr = ptr, .idx = idx, .val = val };
}

static int find(const struct matrix *x)
{
    struct fault fault = { FAULT_NONE, "" };
    int found = compact_find(x, bench.width, &bench.memory, bench.offset, bench.step, bench.number,
                             &fault);
    if (found < 0)
        exit(1);
    return found;
}

/* The same columns, whichever form the features have. */
static int find_both(void)
{
    static float packed[DOCS * DIM], offset[DIM], step[DIM];
    static unsigned char number[sizeof bench.number];
    for (size_t i = 0; i < bench.docs; i++)
        memcpy(packed + i * bench.dim, bench.x[i], bench.dim * sizeof *packed);
    struct matrix dense = { .kind = MATRIX_DENSE, .docs = bench.docs, .dim = bench.dim,
                            .x = (const unsigned char *)packed }, other = sparse();
    int found = find(&dense);
    memcpy(offset, bench.offset, sizeof offset);
    memcpy(step, bench.step, sizeof step);
    memcpy(number, bench.number, sizeof number);
    hold(find(&other) == found, "dense or sparse", 0, 0, 0);
    if (found)
        hold(memcmp(offset, bench.offset, bench.dim * sizeof *offset) == 0 &&
             memcmp(step, bench.step, bench.dim * sizeof *step) == 0 &&
             memcmp(number, bench.number, bench.width * bench.docs * bench.dim) == 0,
             "dense and sparse", 0, 0, 0);
    return found;
}

static void check_query(void)
{
    struct matrix x;
    struct fault fault = { FAULT_NONE, "" };
    float size = 0;
    for (size_t i = 0; i < bench.docs; i++)
        for (size_t j = 0; j < bench.dim; j++)
            size = fmaxf(size, fabsf(bench.x[i][j]));
    if (!find_both()) {
        bench.large++;
        hold(size > FLT_MAX / 2, "only large values are refused", 0, size, 0);
        return;
    }
    memcpy(bench.offsets + 1, bench.offset, sizeof bench.offset);
    memcpy(bench.steps + 1, bench.step, sizeof bench.step);
    memcpy(bench.numbers + 1, bench.number, sizeof bench.number);
    struct compact compact = { bench.docs, bench.dim, bench.width, bench.offsets + 1,
                               bench.steps + 1, bench.numbers + 1 };
    hold(compact_check(&compact, &fault) == 0, "they can be read", 0, 0, 0);
    if (compact_features(&compact, &bench.memory, &x, &fault) < 0)
        exit(1);
    check_matrix(&x);
    for (size_t j = 0; j < bench.dim; j++)
        check_feature(j);
}

/* ---- columns that no one should have written ---- */

static void refuse(float offset, float step, size_t width, bool right)
{
    struct fault fault = { FAULT_NONE, "" };
    unsigned char number[2] = { 0, 0 };
    bench.offset[0] = offset;
    bench.step[0] = step;
    bench.width = width;
    struct compact compact = { 1, 1, width, (const unsigned char *)&offset,
                               (const unsigned char *)&step, number };
    hold((compact_check(&compact, &fault) == 0) == right, right ? "refused" : "taken", 0, 0, 0);
}

int main(int argc, char **argv)
{
    unsigned long queries = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
    bench.rng = rng_at(1, RNG_SAMPLE, 1);
    for (unsigned long q = 0; q < queries; q++) {
        draw_query(q);
        check_query();
    }
    refuse(0, 0, 1, true);
    refuse(-FLT_MAX, 0, 2, true);
    refuse(-FLT_MAX, FLT_MAX / 256, 1, true);
    refuse(0, FLT_MAX / 256, 1, true);
    refuse(0, FLT_MAX / 256, 2, false);
    refuse(FLT_MAX, FLT_MAX / 256, 1, false);
    refuse(0, -1, 1, false);
    refuse(0, NAN, 1, false);
    refuse(NAN, 0, 1, false);
    refuse(INFINITY, 0, 1, false);
    refuse(-INFINITY, FLT_MAX, 1, false);
    compact_close(&bench.memory);
    printf("%lu queries, %lu too large, %lu dense, %lu sparse; %lu features, %lu of counts; "
           "%lu values exact, %lu rounded, %lu zeros\n", queries, bench.large, bench.dense,
           bench.sparse, bench.grids, bench.whole, bench.exact, bench.rounded, bench.zeros);
    if (bench.wrong)
        printf("compact: %lu are wrong\n", bench.wrong);
    return bench.wrong || !bench.whole || !bench.rounded || !bench.zeros || !bench.dense ||
           !bench.sparse || !bench.large;
}
