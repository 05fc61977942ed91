#include "feature/split.h"

#include <stdbool.h>
#include <string.h>

void split_close(struct split *split)
{
    buffer_free(&split->used);
    buffer_free(&split->mean);
}

/* How many of row[k] are not in used[n]; both rise. */
static size_t count_fresh(const uint32_t *used, size_t n, const uint32_t *row, size_t k)
{
    size_t fresh = 0;
    for (size_t a = 0, b = 0; b < k; b++) {
        while (a < n && used[a] < row[b])
            a++;
        fresh += a == n || used[a] != row[b];
    }
    return fresh;
}

/* Merges row[k] into used[n], from the back; `fresh` of them are new. */
static void merge(uint32_t *used, size_t n, const uint32_t *row, size_t k, size_t fresh)
{
    for (size_t at = n + fresh; k > 0; at--) {
        bool later = n > 0 && used[n - 1] > row[k - 1];
        bool both = n > 0 && used[n - 1] == row[k - 1];
        used[at - 1] = later ? used[n - 1] : row[k - 1];
        n -= later || both;
        k -= !later;
    }
}

/* The features that any document lists, and their number in *n. After each document rows_start
 * checks whether they are too many, so merging takes no longer than writing would. */
static const uint32_t *find_used(struct split *split, const struct rows *in, size_t dim, size_t *n,
                                 struct rows *out, struct fault *fault)
{
    const uint32_t *ptr = in->ptr.at, *idx = in->idx.at;
    uint32_t *used = buffer_for(&split->used, 0, sizeof *used, fault);
    *n = 0;
    for (size_t i = 0; used && i < in->docs; i++) {
        size_t k = ptr[i + 1] - ptr[i], fresh = count_fresh(used, *n, idx + ptr[i], k);
        if (fresh == 0)
            continue;
        if (rows_start(out, 2 * (uint64_t)dim, 2 * (uint64_t)in->docs * (*n + fresh), fault) < 0)
            return NULL;
        used = buffer_for(&split->used, *n + fresh, sizeof *used, fault);
        if (used)
            merge(used, *n, idx + ptr[i], k, fresh);
        *n += fresh;
    }
    return used;
}

static const double *find_means(struct split *split, const struct rows *in, const uint32_t *used,
                                size_t n, struct fault *fault)
{
    const uint32_t *ptr = in->ptr.at, *idx = in->idx.at;
    const float *val = in->val.at;
    double *mean = buffer_for(&split->mean, n, sizeof *mean, fault);
    if (!mean)
        return NULL;
    memset(mean, 0, n * sizeof *mean);
    for (size_t i = 0; i < in->docs; i++) {
        for (size_t e = ptr[i], u = 0; e < ptr[i + 1]; e++) {
            while (used[u] != idx[e])
                u++;
            mean[u] += (double)val[e];
        }
    }
    for (size_t u = 0; u < n; u++)
        mean[u] /= (double)in->docs;
    return mean;
}

int split_rows(struct split *split, const struct rows *in, size_t *dim, struct rows *out,
               struct fault *fault)
{
    size_t n;
    const uint32_t *ptr = in->ptr.at, *idx = in->idx.at;
    const float *val = in->val.at;
    if (rows_start(out, 2 * (uint64_t)*dim, 0, fault) < 0)
        return -1;
    const uint32_t *used = find_used(split, in, *dim, &n, out, fault);
    const double *mean = used ? find_means(split, in, used, n, fault) : NULL;
    if (!mean)
        return -1;
    for (size_t i = 0; i < in->docs; i++) {
        if (rows_document(out, 2 * n, fault) < 0)
            return -1;
        uint32_t *to;
        float *value;
        rows_place(out, &to, &value);
        for (size_t u = 0, e = ptr[i]; u < n; u++, to += 2, value += 2) {
            double x = e < ptr[i + 1] && idx[e] == used[u] ? (double)val[e++] : 0;
            to[0] = 2 * used[u];
            to[1] = 2 * used[u] + 1;
            value[0] = (float)(x - mean[u]);
            value[1] = (float)mean[u];
        }
        rows_placed(out, to);
    }
    *dim *= 2;
    return 0;
}
