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
