#include "math/compact.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/unaligned.h"
#include "math/vectors.h"

static uint32_t top_number(size_t width)
{
    return width == 1 ? UINT8_MAX : UINT16_MAX;
}

static float value_of(float offset, float step, uint32_t number)
{
    float product = step * (float)number;
    return offset + product;
}

void compact_close(struct compact_memory *memory)
{
    buffer_free(&memory->grid);
    buffer_free(&memory->values);
    buffer_free(&memory->ptr);
    buffer_free(&memory->idx);
    buffer_free(&memory->val);
}

/* ---- reading ---- */

static bool grid_is_good(float offset, float step, size_t width)
{
    return isfinite(offset) && step >= 0 && isfinite(value_of(offset, step, top_number(width)));
}

int compact_check(const struct compact *compact, struct fault *fault)
{
    for (size_t j = 0; j < compact->dim; j++) {
        float offset = unaligned_f4(compact->offset + 4 * j);
        float step = unaligned_f4(compact->step + 4 * j);
        uint32_t top = top_number(compact->width);
        if (!grid_is_good(offset, step, compact->width))
            return fault_data(fault, "feature %zu has offset %g and step %g: both must be finite, "
                              "the step at least 0, and offset + %" PRIu32 " * step finite", j + 1,
                              (double)offset, (double)step, top);
    }
    return 0;
}

static inline uint32_t number_at(const unsigned char *number, size_t i, size_t width)
{
    return width == 1 ? number[i] : unaligned_u2(number + 2 * i);
}

/* One document's values; how many are not 0. */
VECTORS_INLINE uint32_t read_row(const unsigned char *number, size_t width, size_t dim,
                                 const float *restrict offset, const float *restrict step,
                                 float *restrict x)
{
    uint32_t nonzero = 0;
    for (size_t j = 0; j < dim; j++) {
        x[j] = value_of(offset[j], step[j], number_at(number, j, width));
        nonzero += x[j] != 0;
    }
    return nonzero;
}

/* All of them. Each width has a loop of its own, which the compiler makes one of vectors. */
VECTORS_INLINE uint64_t read_rows(const struct compact *compact, const float *grid, float *x)
{
    uint64_t nonzero = 0;
    size_t dim = compact->dim;
    const unsigned char *number = compact->number;
    for (size_t i = 0; i < compact->docs; i++, number += compact->width * dim)
        nonzero += compact->width == 1 ? read_row(number, 1, dim, grid, grid + dim, x + i * dim)
                                       : read_row(number, 2, dim, grid, grid + dim, x + i * dim);
    return nonzero;
}

VECTORS_WIDE static uint64_t read_rows_wide(const struct compact *compact, const float *grid,
                                            float *x)
{
    return read_rows(compact, grid, x);
}

/* Makes *x the sparse form of the dense values x->x. */
static int make_sparse(struct compact_memory *memory, uint64_t nonzero, struct matrix *x,
                       struct fault *fault)
{
    const float *value = (const float *)memory->values.at;
    uint32_t *ptr = buffer_for(&memory->ptr, x->docs + 1, sizeof *ptr, fault);
    uint32_t *idx = buffer_for(&memory->idx, (size_t)nonzero + 1, sizeof *idx, fault);
    float *val = buffer_for(&memory->val, (size_t)nonzero + 1, sizeof *val, fault);
    uint32_t e = 0;
    if (!ptr || !idx || !val)
        return -1;
    ptr[0] = 0;
    for (size_t i = 0; i < x->docs; i++, value += x->dim) {
        for (size_t j = 0; j < x->dim; j++) { /* writes one past what it keeps */
            idx[e] = (uint32_t)j;
            val[e] = value[j];
            e += value[j] != 0;
        }
        ptr[i + 1] = e;
    }
    x->form = MATRIX_SPARSE;
    x->x = NULL;
    x->ptr = (const unsigned char *)ptr;
    x->idx = (const unsigned char *)idx;
    x->val = (const unsigned char *)val;
    return 0;
}

int compact_features(const struct compact *compact, struct compact_memory *memory,
                     struct matrix *x, struct fault *fault)
{
    size_t docs = compact->docs, dim = compact->dim;
    float *grid = buffer_for(&memory->grid, dim, 2 * sizeof *grid, fault);
    float *values = grid ? buffer_for(&memory->values, docs * dim, sizeof *values, fault) : NULL;
    if (!values)
        return -1;
    memcpy(grid, compact->offset, dim * sizeof *grid);
    memcpy(grid + dim, compact->step, dim * sizeof *grid);
    uint64_t nonzero = vectors_wide() ? read_rows_wide(compact, grid, values)
                                      : read_rows(compact, grid, values);
    *x = (struct matrix){ .form = MATRIX_DENSE, .docs = docs, .dim = dim,
                          .x = (const unsigned char *)values };
    if (nonzero > UINT32_MAX || matrix_dense_is_smaller(docs, dim, nonzero))
        return 0;
    return make_sparse(memory, nonzero, x, fault);
}

/* ---- making ---- */

struct ranges { /* of each feature; the arrays are borrowed */
    float *least, *most;
    double *rate;     /* 1 / step; 0 where the step is 0 */
    uint32_t *uneven; /* is a value not on the grid of a power of two? */
};

VECTORS_INLINE void find_ranges(const float *restrict x, size_t docs, size_t dim,
                                float *restrict least, float *restrict most)
{
    memcpy(least, x, dim * sizeof *least);
    memcpy(most, x, dim * sizeof *most);
    for (size_t i = 1; i < docs; i++) {
        for (size_t j = 0; j < dim; j++) {
            float value = x[i * dim + j];
            least[j] = value < least[j] ? value : least[j];
            most[j] = value > most[j] ? value : most[j];
        }
    }
}

static double rate_of(float step)
{
    return step > 0 ? 1 / (double)step : 0;
}

/* The number nearest to a value, held to 0..top. */
VECTORS_INLINE int32_t nearest(float value, float offset, double rate, double top)
{
    double number = ((double)value - (double)offset) * rate + 0.5;
    return (int32_t)(number < top ? number : top);
}

VECTORS_INLINE void find_uneven(const float *restrict x, size_t docs, size_t dim, double top,
                                const float *restrict offset, const float *restrict step,
                                const double *restrict rate, uint32_t *restrict uneven)
{
    memset(uneven, 0, dim * sizeof *uneven);
    for (size_t i = 0; i < docs; i++) {
        for (size_t j = 0; j < dim; j++) {
            float product = step[j] * (float)nearest(x[i * dim + j], offset[j], rate[j], top);
            uneven[j] |= offset[j] + product != x[i * dim + j];
        }
    }
}

VECTORS_INLINE void find_row(const float *restrict x, size_t dim, size_t width,
                             const float *restrict offset, const double *restrict rate,
                             unsigned char *restrict number)
{
    for (size_t j = 0; j < dim; j++) {
        uint16_t n = (uint16_t)nearest(x[j], offset[j], rate[j], top_number(width));
        if (width == 1)
            number[j] = (unsigned char)n;
        else
            memcpy(number + 2 * j, &n, sizeof n);
    }
}

VECTORS_INLINE void find_numbers(const float *x, size_t docs, size_t dim, size_t width,
                                 const float *offset, const double *rate, unsigned char *number)
{
    for (size_t i = 0; i < docs; i++, x += dim, number += width * dim) {
        if (width == 1)
            find_row(x, dim, 1, offset, rate, number);
        else
            find_row(x, dim, 2, offset, rate, number);
    }
}

/* The least float of at most `bits` significant bits that is at least `step`, which is above 0. */
static float round_up(double step, int bits)
{
    int exponent;
    (void)frexp(step, &exponent);
    int last = exponent - bits > FLT_MIN_EXP - FLT_MANT_DIG ? exponent - bits
                                                           : FLT_MIN_EXP - FLT_MANT_DIG;
    return (float)ldexp(ceil(ldexp(step, -last)), last);
}

/* The power of two by which all values may be counted from the least one; 0 for a constant. */
static void choose_even(float least, float most, uint32_t top, float *offset, float *step)
{
    *offset = least + 0.0F; /* not -0 */
    *step = most > least ? round_up(((double)most - (double)least) / top, 1) : 0;
}

/* The numbers go from the least value to the largest one. Where values have both signs they move by
 * up to half a step, so that one of them gives 0: there offset is minus what reading adds. */
static void choose_uneven(float least, float most, uint32_t top, float *offset, float *step)
{
    double range = (double)most - (double)least;
    *step = (float)(range / top);
    if (*step < FLT_MIN)
        *step = round_up(range / top, FLT_MANT_DIG);
    *offset = least;
    if (least < 0 && most >= 0)
        *offset = -*step * (float)nearest(-least, 0, rate_of(*step), top);
}

VECTORS_INLINE bool find(const float *x, size_t docs, size_t dim, size_t width,
                         const struct ranges *ranges, float *offset, float *step,
                         unsigned char *number)
{
    uint32_t top = top_number(width);
    bool good = true;
    find_ranges(x, docs, dim, ranges->least, ranges->most);
    for (size_t j = 0; j < dim; j++) {
        choose_even(ranges->least[j], ranges->most[j], top, &offset[j], &step[j]);
        ranges->rate[j] = rate_of(step[j]);
    }
    find_uneven(x, docs, dim, top, offset, step, ranges->rate, ranges->uneven);
    for (size_t j = 0; j < dim; j++) {
        if (ranges->uneven[j] || !grid_is_good(offset[j], step[j], width))
            choose_uneven(ranges->least[j], ranges->most[j], top, &offset[j], &step[j]);
        ranges->rate[j] = rate_of(step[j]);
        good = good && grid_is_good(offset[j], step[j], width);
    }
    if (good)
        find_numbers(x, docs, dim, width, offset, ranges->rate, number);
    return good;
}

VECTORS_WIDE static bool find_wide(const float *x, size_t docs, size_t dim, size_t width,
                                   const struct ranges *ranges, float *offset, float *step,
                                   unsigned char *number)
{
    return find(x, docs, dim, width, ranges, offset, step, number);
}

/* The features as dense values in the memory; NULL with a fault where there is none. */
static const float *spread(const struct matrix *x, struct compact_memory *memory,
                           struct fault *fault)
{
    float *values = buffer_for(&memory->values, x->docs * x->dim, sizeof *values, fault);
    if (!values)
        return NULL;
    if (x->form == MATRIX_DENSE)
        return memcpy(values, x->x, x->docs * x->dim * sizeof *values);
    memset(values, 0, x->docs * x->dim * sizeof *values);
    for (size_t i = 0; i < x->docs; i++)
        for (size_t e = unaligned_u4(x->ptr + 4 * i); e < unaligned_u4(x->ptr + 4 * (i + 1)); e++)
            values[i * x->dim + unaligned_u4(x->idx + 4 * e)] = unaligned_f4(x->val + 4 * e);
    return values;
}

int compact_find(const struct matrix *x, size_t width, struct compact_memory *memory,
                 float *offset, float *step, unsigned char *number, struct fault *fault)
{
    size_t dim = x->dim;
    float *grid = buffer_for(&memory->grid, dim, 2 * sizeof *grid, fault);
    uint32_t *uneven = buffer_for(&memory->idx, dim, sizeof *uneven, fault);
    double *rate = buffer_for(&memory->val, dim, sizeof *rate, fault);
    const float *values = grid && uneven && rate ? spread(x, memory, fault) : NULL;
    if (!values)
        return -1;
    struct ranges ranges = { grid, grid + dim, rate, uneven };
    return vectors_wide() ? find_wide(values, x->docs, dim, width, &ranges, offset, step, number)
                          : find(values, x->docs, dim, width, &ranges, offset, step, number);
}
