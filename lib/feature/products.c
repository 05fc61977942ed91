#include "feature/products.h"

#include <string.h>

#include "base/unaligned.h"
#include "math/vectors.h"

/* The number of features and products of k features. */
static uint64_t count(uint64_t k)
{
    return k * (k + 3) / 2;
}

static void put_products(struct rows *out, const uint32_t *idx, const float *val, size_t k)
{
    for (size_t b = 0; b < k; b++) {
        uint64_t j = (uint64_t)idx[b] + 1, at = j * (j + 1) / 2 - 1;
        rows_feature(out, (uint32_t)at, val[b]);
        for (size_t a = 0; a <= b; a++)
            rows_feature(out, (uint32_t)(at + idx[a] + 1), (float)((double)val[a] * val[b]));
    }
}

int products_rows(const struct rows *in, size_t *dim, struct rows *out, struct fault *fault)
{
    const uint32_t *ptr = in->ptr.at, *idx = in->idx.at;
    const float *val = in->val.at;
    uint64_t all = 0;
    for (size_t i = 0; i < in->docs; i++)
        all += count(ptr[i + 1] - ptr[i]);
    if (rows_start(out, count(*dim), all, fault) < 0)
        return -1;
    for (size_t i = 0; i < in->docs; i++) {
        size_t k = ptr[i + 1] - ptr[i];
        if (rows_document(out, (size_t)count(k), fault) < 0)
            return -1;
        put_products(out, idx + ptr[i], val + ptr[i], k);
    }
    *dim = (size_t)count(*dim);
    return 0;
}

/* A feature that is 0 has no products; -0 is written as 0. */
VECTORS_INLINE void multiply_row(const unsigned char *x, size_t dim, float *out)
{
    for (size_t b = 0; b < dim; b++, out += b + 1) {
        const double by = (double)unaligned_f4(x + b * sizeof(float));
        memset(out, 0, (b + 2) * sizeof *out);
        if (by == 0)
            continue;
        out[0] = (float)by;
        for (size_t a = 0; a <= b; a++) {
            float of = unaligned_f4(x + a * sizeof(float));
            out[a + 1] = of != 0 ? (float)((double)of * by) : 0;
        }
    }
}

VECTORS_WIDE static void multiply_row_wide(const unsigned char *x, size_t dim, float *out)
{
    multiply_row(x, dim, out);
}

int products_dense(const struct matrix *x, struct rows *out, struct matrix *y,
                   struct fault *fault)
{
    float *made;
    if (rows_dense(out, x->docs, count(x->dim), &made, fault) < 0)
        return -1;
    if (!made)
        return 0;
    for (size_t i = 0; i < x->docs; i++) {
        const unsigned char *row = x->x + i * x->dim * sizeof(float);
        float *to = made + i * (size_t)count(x->dim);
        if (vectors_wide())
            multiply_row_wide(row, x->dim, to);
        else
            multiply_row(row, x->dim, to);
    }
    return rows_dense_matrix(out, x->docs, (size_t)count(x->dim), y);
}
