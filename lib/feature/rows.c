#include "feature/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
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
        bool dense = x->form == MATRIX_DENSE;
        size_t from = dense ? i * x->dim : unaligned_u4(x->ptr + 4 * i);
        size_t n = dense ? x->dim : unaligned_u4(x->ptr + 4 * (i + 1)) - from;
        const unsigned char *val = (dense ? x->x : x->val) + 4 * from;
        if (rows_document(rows, n, fault) < 0)
            return -1;
        for (size_t e = 0; e < n; e++)
            if (unaligned_f4(val + 4 * e) != 0)
                rows_feature(rows, dense ? (uint32_t)e : unaligned_u4(x->idx + 4 * (from + e)),
                             unaligned_f4(val + 4 * e));
    }
    return 0;
}

int rows_finite(const struct rows *rows, struct fault *fault)
{
    const uint32_t *ptr = rows->ptr.at, *idx = rows->idx.at;
    const float *val = rows->val.at;
    for (size_t i = 0; i < rows->docs; i++)
        for (size_t e = ptr[i]; e < ptr[i + 1]; e++)
            if (!isfinite(val[e]))
                return fault_data(fault, "feature %" PRIu32 " of document %zu would be %g", idx[e],
                                  i, (double)val[e]);
    return 0;
}

enum { SCALED_MOST = 1 << 27 }; /* 1.5 GB of entries */

struct entry {
    uint32_t idx, doc;
    float val;
};

static int by_feature(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->idx != y->idx)
        return x->idx < y->idx ? -1 : 1;
    return x->doc < y->doc ? -1 : x->doc > y->doc;
}

/* The entries by feature, then by document. */
static struct entry *sort_entries(struct rows *rows, struct fault *fault)
{
    struct entry *entry = buffer_for(&rows->sorted, rows->entries, sizeof *entry, fault);
    const uint32_t *ptr = rows->ptr.at, *idx = rows->idx.at;
    const float *val = rows->val.at;
    if (!entry)
        return NULL;
    for (uint32_t i = 0; i < rows->docs; i++)
        for (size_t e = ptr[i]; e < ptr[i + 1]; e++)
            entry[e] = (struct entry){ idx[e], i, val[e] };
    qsort(entry, rows->entries, sizeof *entry, by_feature);
    return entry;
}

/* Scales the n entries of one feature, and appends them to rows->scaled. Documents that do not list
 * it are added where 0 scales to more than 0. */
static int scale_feature(struct rows *rows, const struct entry *entry, size_t n, size_t *used,
                         struct fault *fault)
{
    float low = n < rows->docs ? 0 : entry[0].val, high = low;
    for (size_t e = 0; e < n; e++) {
        low = entry[e].val < low ? entry[e].val : low;
        high = entry[e].val > high ? entry[e].val : high;
    }
    size_t count = low < 0 ? rows->docs : n;
    if (*used + count > SCALED_MOST)
        return fault_data(fault, "scaling makes more than %d features that are not 0: a value "
                          "below 0 makes every document list its feature", SCALED_MOST);
    struct entry *out = buffer_for(&rows->scaled, *used + count, sizeof *out, fault);
    if (!out)
        return -1;
    for (size_t e = 0, i = 0; i < count; i++) {
        uint32_t doc = count == n ? entry[i].doc : (uint32_t)i;
        float val = e < n && entry[e].doc == doc ? entry[e++].val : 0;
        double span = (double)high - low;
        out[(*used)++] = (struct entry){ entry[0].idx, doc,
                                         (float)(span > 0 ? ((double)val - low) / span : 0) };
    }
    return 0;
}

/* Turns entries that are sorted by feature back into rows. */
static int store_rows(struct rows *rows, const struct entry *entry, size_t n, struct fault *fault)
{
    uint32_t *ptr = rows->ptr.at, *idx = buffer_for(&rows->idx, n, sizeof *idx, fault);
    float *val = idx ? buffer_for(&rows->val, n, sizeof *val, fault) : NULL;
    if (!val)
        return -1;
    memset(ptr, 0, (rows->docs + 1) * sizeof *ptr);
    for (size_t e = 0; e < n; e++)
        ptr[entry[e].doc + 1]++;
    for (size_t i = 0; i < rows->docs; i++)
        ptr[i + 1] += ptr[i];
    for (size_t e = 0; e < n; e++) {
        uint32_t at = ptr[entry[e].doc]++;
        idx[at] = entry[e].idx;
        val[at] = entry[e].val;
    }
    memmove(ptr + 1, ptr, rows->docs * sizeof *ptr); /* each start had become its row's end */
    ptr[0] = 0;
    rows->entries = n;
    return 0;
}

int rows_scale(struct rows *rows, struct fault *fault)
{
    size_t used = 0;
    if (rows->entries == 0)
        return 0;
    const struct entry *entry = sort_entries(rows, fault);
    if (!entry)
        return -1;
    for (size_t e = 0, next; e < rows->entries; e = next) {
        for (next = e; next < rows->entries && entry[next].idx == entry[e].idx;)
            next++;
        if (scale_feature(rows, entry + e, next - e, &used, fault) < 0)
            return -1;
    }
    return store_rows(rows, rows->scaled.at, used, fault);
}

/* Removes zeros. */
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

/* Where every document lists every feature, the values are the dense matrix. */
static float *spread(struct rows *rows, size_t dim, struct fault *fault)
{
    if (rows->entries == rows->docs * dim)
        return rows->val.at;
    float *x = buffer_for(&rows->dense, rows->docs * dim, sizeof *x, fault);
    const uint32_t *ptr = rows->ptr.at, *idx = rows->idx.at;
    const float *val = rows->val.at;
    if (!x)
        return NULL;
    memset(x, 0, rows->docs * dim * sizeof *x);
    for (size_t i = 0; i < rows->docs; i++)
        for (size_t e = ptr[i]; e < ptr[i + 1]; e++)
            x[i * dim + idx[e]] = val[e];
    return x;
}

int rows_matrix(struct rows *rows, size_t dim, struct matrix *x, struct fault *fault)
{
    uint32_t nonzero = 0; /* there are fewer than 2^32 entries */
    const float *val = rows->val.at;
    for (size_t e = 0; e < rows->entries; e++)
        nonzero += val[e] != 0;
    uint64_t dense = 4 * (uint64_t)rows->docs * dim;
    uint64_t sparse = 4 * ((uint64_t)rows->docs + 1) + 8 * (uint64_t)nonzero;
    *x = (struct matrix){ .form = MATRIX_SPARSE, .docs = rows->docs, .dim = dim };
    if (dim && dense <= sparse) {
        x->form = MATRIX_DENSE;
        x->x = (const unsigned char *)spread(rows, dim, fault);
        return x->x ? 0 : -1;
    }
    if (nonzero < rows->entries)
        drop_zeros(rows);
    x->ptr = rows->ptr.at;
    x->idx = rows->idx.at;
    x->val = rows->val.at;
    return 0;
}
