#include "feature/products.h"

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
