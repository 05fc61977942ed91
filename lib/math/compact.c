#include "math/compact.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/unaligned.h"

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

/* One document's values; how many are not 0. Inlined for each width, it has no branch. */
static inline uint32_t read_row(const unsigned char *number, size_t width, size_t dim,
                                const float *restrict grid, float *restrict x)
{
    uint32_t nonzero = 0;
    for (size_t j = 0; j < dim; j++) {
        x[j] = value_of(grid[j], grid[dim + j], number_at(number, j, width));
        nonzero += x[j] != 0;
    }
    return nonzero;
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
    if (!ptr || !idx || !val) return -1;
    ptr[0] = 0;
    for (size_t i = 0; i < x->docs; i++, value += x->dim) {
        for (size_t j = 0; j < x->dim; j++) { /* writes one past what it keeps */
            idx[e] = (uint32_t)j;
            val[e] = value[j];
            e += value[j] != 0;
        }
        ptr[i + 1] = e;
    }
    x->kind = MATRIX_SPARSE;
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
    if (!values) return -1;
    memcpy(grid, compact->offset, dim * sizeof *grid);
    memcpy(grid + dim, compact->step, dim * sizeof *grid);
    uint64_t nonzero = 0;
    for (size_t i = 0; i < docs; i++) {
        const unsigned char *number = compact->number + compact->width * i * dim;
        nonzero += compact->width == 1 ? read_row(number, 1, dim, grid, values + i * dim)
                                       : read_row(number, 2, dim, grid, values + i * dim);
    }
    *x = (struct matrix){ .kind = MATRIX_DENSE, .docs = docs, .dim = dim,
                          .x = (const unsigned char *)values };
    if (nonzero > UINT32_MAX || matrix_dense_is_smaller(docs, dim, nonzero))
        return 0;
    return make_sparse(memory, nonzero, x, fault);
}

/* ---- making ---- */

/* The number nearest to a value, held to 0..top. */
static uint32_t nearest(float value, float offset, float step, uint32_t top)
{
    double number = ((double)value - (double)offset) * (step > 0 ? 1 / (double)step : 0) + 0.5;
    return (uint32_t)(number < top ? number : top);
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
        *offset = -*step * (float)nearest(-least, 0, *step, top);
}

/* Is each value, one in every `dim` floats, the value of its nearest number? */
static bool is_even(const float *x, size_t docs, size_t dim, uint32_t top, float offset,
                    float step)
{
    for (size_t i = 0; i < docs; i++)
        if (value_of(offset, step, nearest(x[i * dim], offset, step, top)) != x[i * dim])
            return false;
    return true;
}

/* The grid of the feature whose values are one in every `dim` floats; false where there is none. */
static bool choose_grid(const float *x, size_t docs, size_t dim, size_t width, float *offset,
                        float *step)
{
    float least = x[0], most = x[0];
    uint32_t top = top_number(width);
    for (size_t i = 1; i < docs; i++) {
        least = x[i * dim] < least ? x[i * dim] : least;
        most = x[i * dim] > most ? x[i * dim] : most;
    }
    choose_even(least, most, top, offset, step);
    if (!grid_is_good(*offset, *step, width) || !is_even(x, docs, dim, top, *offset, *step))
        choose_uneven(least, most, top, offset, step);
    return grid_is_good(*offset, *step, width);
}

static void put_number(unsigned char *number, size_t i, size_t width, uint32_t value)
{
    uint16_t two = (uint16_t)value;
    if (width == 1)
        number[i] = (unsigned char)value;
    else
        memcpy(number + 2 * i, &two, sizeof two);
}

int compact_find(const struct matrix *x, size_t width, struct compact_memory *memory,
                 float *offset, float *step, unsigned char *number, struct fault *fault)
{
    size_t docs = x->docs, dim = x->dim;
    float *values = buffer_for(&memory->values, docs * dim, sizeof *values, fault);
    if (!values) return -1;
    matrix_spread(x, values);
    for (size_t j = 0; j < dim; j++) {
        float least, by;
        if (!choose_grid(values + j, docs, dim, width, &least, &by))
            return 0;
        for (size_t i = 0; i < docs; i++)
            put_number(number, i * dim + j, width,
                       nearest(values[i * dim + j], least, by, top_number(width)));
        offset[j] = least;
        step[j] = by;
    }
    return 1;
}
