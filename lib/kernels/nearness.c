#include "kernels/nearness.h"

#include <stdbool.h>
#include <string.h>

#include "base/unaligned.h"
#include "kernels/vectors.h"

/* 2^f is the sum of (f ln 2)^i / i!, here from i = 6 down. SHIFT is 1.5 * 2^23: a number added to
 * it is rounded to a whole one. */
#define MOST 120.0f
#define SHIFT 12582912.0f
enum { TERMS = 7 };
static const float taylor[TERMS] = { 1.5403530e-4f, 1.3333558e-3f, 9.6181291e-3f, 5.5504109e-2f,
                                     2.4022651e-1f, 6.9314718e-1f, 1.0f };

/* Others in a vector, vectors of others, and documents at a time. gcc has no registers for vectors
 * that are longer than the machine's: none has more than 32 bytes. */
enum { WIDTH = 8, SETS = NEARNESS_OTHERS / WIDTH, ROWS = 4 };
typedef float floats __attribute__((vector_size(WIDTH * sizeof(float))));
typedef double doubles __attribute__((vector_size(WIDTH / 2 * sizeof(double))));
typedef float halves __attribute__((vector_size(WIDTH / 2 * sizeof(float))));
typedef uint32_t bits __attribute__((vector_size(WIDTH * sizeof(float))));

VECTORS_INLINE void load(floats *to, const void *from)
{
    memcpy(to, from, sizeof *to);
}

/* t[1] becomes 2^-t. */
VECTORS_INLINE void weigh(floats t[])
{
    const floats most = (floats){ 0 } + MOST, shift = (floats){ 0 } + SHIFT;
    bits given = (bits)t[0], within = (bits)(t[0] < most);
    floats y = -(floats)((given & within) | ((bits)most & ~within));
    floats n = y + shift, f = y - (n - shift), p = (floats){ 0 } + taylor[0];
    for (size_t i = 1; i < TERMS; i++)
        p = p * f + taylor[i];
    t[0] = (floats)((bits)p + ((bits)n << 23));
}

/* The sum of the lanes, by halves. */
VECTORS_INLINE float sum(const floats v[])
{
    float lane[NEARNESS_OTHERS];
    memcpy(lane, v, sizeof lane);
    for (size_t half = NEARNESS_OTHERS / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

/* `docs` documents from number i of the list on. */
VECTORS_INLINE void add(const struct nearness *my, size_t docs, size_t i, double *a, double *b)
{
    const unsigned char *x[ROWS];
    floats r[ROWS][SETS], other[SETS], weight[SETS], said[SETS];
    for (size_t d = 0; d < docs; d++) {
        x[d] = my->rows.x + my->doc[i + d] * my->rows.stride * sizeof(float);
        for (size_t k = 0; k < SETS; k++)
            r[d][k] = (floats){ 0 };
    }
    for (size_t j = 0; j < my->rows.n; j++) {
        for (size_t k = 0; k < SETS; k++)
            load(&other[k], my->other + NEARNESS_OTHERS * j + WIDTH * k);
        for (size_t d = 0; d < docs; d++) {
            for (size_t k = 0; k < SETS; k++) {
                floats apart = other[k] - unaligned_f4(x[d] + j * sizeof(float));
                r[d][k] += apart * apart;
            }
        }
    }
    for (size_t d = 0; d < docs; d++) {
        for (size_t k = 0; k < SETS; k++) {
            floats e, counts;
            load(&e, my->e + WIDTH * k);
            load(&counts, my->counts + WIDTH * k);
            weight[k] = r[d][k] * my->scale;
            weigh(&weight[k]);
            weight[k] *= counts;
            said[k] = weight[k] * e;
        }
        a[i + d] += (double)sum(said);
        b[i + d] += (double)sum(weight);
    }
}

VECTORS_CLONES void nearness_add(const struct nearness *nearness, double *a, double *b)
{
    size_t i = 0;
    for (; i + ROWS <= nearness->docs; i += ROWS)
        add(nearness, ROWS, i, a, b);
    for (; i < nearness->docs; i++)
        add(nearness, 1, i, a, b);
}

/* sum += (x - mean)^2 for 16 features, those of the mask. */
VECTORS_INLINE void square(floats sum[], const void *x, const float *mean, const uint32_t *mask)
{
    for (size_t k = 0; k < SETS; k++) {
        floats from, to;
        bits of;
        load(&from, (const unsigned char *)x + WIDTH * k * sizeof(float));
        load(&to, mean + WIDTH * k);
        from -= to;
        if (mask) {
            memcpy(&of, mask + WIDTH * k, sizeof of);
            from = (floats)((bits)from & of);
        }
        sum[k] += from * from;
    }
}

/* The last of a row's features are read with what follows them, where that is there. */
VECTORS_CLONES double nearness_spread(const struct nearness_rows *rows, size_t docs,
                                      const float *mean)
{
    const size_t rest = rows->n % NEARNESS_OTHERS, whole = rows->n - rest;
    const size_t bytes = rows->stride * sizeof(float), from = whole * sizeof(float);
    float last[NEARNESS_OTHERS] = { 0 };
    uint32_t mask[NEARNESS_OTHERS];
    double lane[NEARNESS_OTHERS];
    doubles all[2 * SETS] = { { 0 } };
    for (size_t l = 0; l < NEARNESS_OTHERS; l++)
        mask[l] = l < rest ? UINT32_MAX : 0;
    for (size_t i = 0; i < docs; i++) {
        const unsigned char *x = rows->x + i * bytes;
        bool inside = (docs - i) * bytes >= from + sizeof last;
        floats sum[SETS];
        for (size_t k = 0; k < SETS; k++)
            sum[k] = (floats){ 0 };
        for (size_t j = 0; j < whole; j += NEARNESS_OTHERS)
            square(sum, x + j * sizeof(float), mean + j, NULL);
        if (!inside)
            memcpy(last, x + from, rest * sizeof(float));
        if (rest)
            square(sum, inside ? x + from : (const unsigned char *)last, mean + whole, mask);
        for (size_t k = 0; k < 2 * SETS; k++) {
            halves some;
            memcpy(&some, (const unsigned char *)sum + k * sizeof some, sizeof some);
            all[k] += __builtin_convertvector(some, doubles);
        }
    }
    memcpy(lane, all, sizeof lane);
    return sum_lanes(lane);
}
