/*
 * Compact features against their definition: offset + step * number, each operation rounded to
 * float, in the form that takes fewer bytes; and columns that no one should have written.
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

enum { DOCS = 40, DIM = 21 };

static struct bench {
    struct rng rng;
    size_t docs, dim, width;
    float offset[DIM], step[DIM];
    unsigned char number[2 * DOCS * DIM];
    /* the same as a stream holds it, a byte off any alignment */
    unsigned char offsets[4 * DIM + 1], steps[4 * DIM + 1], numbers[2 * DOCS * DIM + 1];
    struct compact_memory memory;
    unsigned long dense, sparse, wrong;
} bench;

static void hold(bool right, const char *what, size_t j, float value, float got)
{
    if (!right && bench.wrong++ < 20)
        printf("compact: %s: feature %zu with offset %.9g and step %.9g, %zu bytes: %.9g became "
               "%.9g\n", what, j, (double)bench.offset[j], (double)bench.step[j], bench.width,
               (double)value, (double)got);
}

/* Of every fifth query most values are 0. */
static void draw_query(unsigned long q)
{
    bench.docs = 1 + (size_t)(DOCS * rng_unit(&bench.rng));
    bench.dim = 1 + (size_t)(DIM * rng_unit(&bench.rng));
    bench.width = 1 + q % 2;
    for (size_t j = 0; j < bench.dim; j++) {
        double scale = pow(10, 30 * rng_unit(&bench.rng) - 20);
        bench.step[j] = rng_unit(&bench.rng) < 0.1 ? 0 : (float)scale;
        bench.offset[j] = q % 5 == 0 ? 0 : (float)(scale * 300 * (rng_unit(&bench.rng) - 0.5));
    }
    for (size_t i = 0; i < bench.width * bench.docs * bench.dim; i++)
        bench.number[i] = q % 5 == 0 && rng_unit(&bench.rng) < 0.9
                              ? 0 : (unsigned char)(256 * rng_unit(&bench.rng));
}

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
        }
        if (!dense) {
            memcpy(&end, x->ptr + 4 * (i + 1), sizeof end);
            hold(end == e, "row", i, (float)e, (float)end);
        }
    }
}

static void check_query(void)
{
    struct matrix x;
    struct fault fault = { FAULT_NONE, "" };
    memcpy(bench.offsets + 1, bench.offset, sizeof bench.offset);
    memcpy(bench.steps + 1, bench.step, sizeof bench.step);
    memcpy(bench.numbers + 1, bench.number, sizeof bench.number);
    struct compact compact = { bench.docs, bench.dim, bench.width, bench.offsets + 1,
                               bench.steps + 1, bench.numbers + 1 };
    hold(compact_check(&compact, &fault) == 0, "they can be read", 0, 0, 0);
    if (compact_features(&compact, &bench.memory, &x, &fault) < 0)
        exit(1);
    check_matrix(&x);
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
    printf("%lu queries, %lu dense, %lu sparse\n", queries, bench.dense, bench.sparse);
    if (bench.wrong)
        printf("compact: %lu are wrong\n", bench.wrong);
    return bench.wrong || !bench.dense || !bench.sparse;
}
