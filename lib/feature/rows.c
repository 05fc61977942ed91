#include "feature/rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/unaligned.h"
#include "stream/round.h"

void rows_clear(struct rows *rows)
{
    rows->docs = rows->entries = 0;
}

void rows_close(struct rows *rows)
{
    buffer_free(&rows->ptr);
    buffer_free(&rows->idx);
    buffer_free(&rows->val);
    buffer_free(&rows->dense);
    buffer_free(&rows->sorted);
    buffer_free(&rows->scaled);
    buffer_free(&rows->ranges);
}

int rows_document(struct rows *rows, size_t most, struct fault *fault)
{
    uint32_t *ptr = buffer_for(&rows->ptr, rows->docs + 2, sizeof *ptr, fault);
    if (rows->docs >= UINT32_MAX - 1 || rows->entries + most >= UINT32_MAX)
        return fault_data(fault, "a query has 2^32 or more documents or features");
    if (!ptr || !buffer_for(&rows->idx, rows->entries + most, sizeof(uint32_t), fault) ||
        !buffer_for(&rows->val, rows->entries + most, sizeof(float), fault))
        return -1;
    ptr[0] = 0;
    ptr[++rows->docs] = (uint32_t)rows->entries;
    return 0;
}

int rows_start(struct rows *rows, uint64_t dim, uint64_t features, struct fault *fault)
{
    rows_clear(rows);
    if (dim > ROUND_DIM)
        return fault_data(fault, "its documents would have %" PRIu64 " features: at most %" PRIu64
                          " are allowed", dim, ROUND_DIM);
    if (features > ROWS_MOST)
        return fault_data(fault, "its documents would have more than %" PRIu64 " features that are "
                          "not 0", ROWS_MOST);
    return 0;
}

int rows_take(struct rows *rows, const struct matrix *x, struct fault *fault)
{
    rows_clear(rows);
    for (size_t i = 0; i < x->docs; i++) {
        bool dense = x->kind == MATRIX_DENSE;
        size_t from = dense ? i * x->dim : unaligned_u4(x->ptr + 4 * i);
        size_t n = dense ? x->dim : unaligned_u4(x->ptr + 4 * (i + 1)) - from;
        if (rows_document(rows, n, fault) < 0) return -1;

        /* Those that are not 0 are added. There is no branch for each: no one can foretell
         * zeros. */
        const unsigned char *idx = dense ? NULL : x->idx + 4 * from;
        const unsigned char *val = (dense ? x->x : x->val) + 4 * from;
        uint32_t *to;
        float *value;
        rows_place(rows, &to, &value);
        for (size_t e = 0; e < n; e++) {
            *to = idx ? unaligned_u4(idx + 4 * e) : (uint32_t)e;
            *value = unaligned_f4(val + 4 * e);
            size_t step = *value != 0;
            to += step;
            value += step;
        }
        rows_placed(rows, to);
    }
    return 0;
}

int rows_finite(const struct rows *rows, const char *verb, struct fault *fault)
{
    const uint32_t *ptr = rows->ptr.at, *idx = rows->idx.at;
    const float *val = rows->val.at;
    for (size_t i = 0; i < rows->docs; i++)
        for (size_t e = ptr[i]; e < ptr[i + 1]; e++)
            if (!isfinite(val[e]))
                return fault_data(fault, "feature %" PRIu64 " of document %zu %s %g",
                                  (uint64_t)idx[e] + 1, i, verb, (double)val[e]);
    return 0;
}

/* Removes the features that are 0, in place. */
static void drop_zeros(struct rows *rows)
{
    uint32_t *ptr = rows->ptr.at, *idx = rows->idx.at, left = 0;
    float *val = rows->val.at;
    for (size_t i = 0, e = 0; i < rows->docs; i++) {
        for (; e < ptr[i + 1]; e++) {
            if (val[e] != 0) {
                idx[left] = idx[e];
                val[left++] = val[e];
            }
        }
        ptr[i + 1] = left;
    }
    rows->entries = left;
}

int rows_matrix(struct rows *rows, size_t dim, struct matrix *x, struct fault *fault)
{
    uint32_t nonzero = 0; /* there are fewer than 2^32 entries */
    const float *val = rows->val.at;
    for (size_t e = 0; e < rows->entries; e++)
        nonzero += val[e] != 0;
    *x = (struct matrix){ .kind = MATRIX_SPARSE, .docs = rows->docs, .dim = dim,
                          .ptr = rows->ptr.at, .idx = rows->idx.at, .val = rows->val.at };
    if (!matrix_dense_is_smaller(rows->docs, dim, nonzero)) {
        if (nonzero < rows->entries)
            drop_zeros(rows);
        return 0;
    }
    float *dense = rows->val.at; /* where every document lists every feature */
    if (rows->entries < rows->docs * dim) {
        dense = buffer_for(&rows->dense, rows->docs * dim, sizeof *dense, fault);
        if (!dense) return -1;
        matrix_spread(x, dense);
    }
    *x = (struct matrix){ .kind = MATRIX_DENSE, .docs = rows->docs, .dim = dim,
                          .x = (const unsigned char *)dense };
    return 0;
}
