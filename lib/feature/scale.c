#include "feature/scale.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/unaligned.h"
#include "math/vectors.h"

enum { SCALED_MOST = 1 << 27 }; /* 1.5 GB of entries */

struct entry {
    uint32_t idx, doc;
    float val;
};

/* The entries of one feature, one for each document that lists it. */
struct listed {
    struct entry *entry; /* entry[n] */
    size_t n, docs;      /* docs - n documents do not list it: 0 */
};

static int by_feature(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->idx != y->idx)
        return x->idx < y->idx ? -1 : 1;
    return x->doc < y->doc ? -1 : x->doc > y->doc;
}

static int by_value(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->val < y->val ? -1 : x->val > y->val;
}

/* The number of features up to the largest that is listed. */
static size_t find_width(const struct rows *rows)
{
    const uint32_t *idx = rows->idx.at;
    size_t width = 0;
    for (size_t e = 0; e < rows->entries; e++)
        width = idx[e] >= width ? (size_t)idx[e] + 1 : width;
    return width;
}

/* Where the entries of each feature begin; NULL where few of the features up to the largest are
 * listed, or with a fault. */
static uint32_t *find_starts(struct rows *rows, struct fault *fault)
{
    const uint32_t *idx = rows->idx.at;
    size_t width = find_width(rows), before = 0;
    if (width / 4 > rows->entries)
        return NULL;
    uint32_t *start = buffer_for(&rows->counts, width, sizeof *start, fault);
    if (!start)
        return NULL;
    memset(start, 0, width * sizeof *start);
    for (size_t e = 0; e < rows->entries; e++)
        start[idx[e]]++;
    for (size_t j = 0; j < width; j++) {
        before += start[j];
        start[j] = (uint32_t)(before - start[j]);
    }
    return start;
}

/* The entries by feature, then by document: counted into their places where that is shorter. */
static struct entry *sort_entries(struct rows *rows, struct fault *fault)
{
    struct entry *entry = buffer_for(&rows->sorted, rows->entries, sizeof *entry, fault);
    const uint32_t *ptr = rows->ptr.at, *idx = rows->idx.at;
    const float *val = rows->val.at;
    uint32_t *start = entry ? find_starts(rows, fault) : NULL;
    if (fault->kind != FAULT_NONE)
        return NULL;
    for (uint32_t i = 0; i < rows->docs; i++)
        for (size_t e = ptr[i]; e < ptr[i + 1]; e++)
            entry[start ? start[idx[e]]++ : e] = (struct entry){ idx[e], i, val[e] };
    if (!start)
        qsort(entry, rows->entries, sizeof *entry, by_feature);
    return entry;
}

/* (x - low) / (high - low), and never -0. */
static float fraction(double x, double low, double high)
{
    return (float)(high > low ? (x - low) / (high - low) + 0.0 : 0);
}

/* Each of these changes the values of one feature in place, and returns what 0 becomes. */
typedef float change_values(const struct listed *listed);

static float scale_values(const struct listed *listed)
{
    struct entry *entry = listed->entry;
    float low = listed->n < listed->docs ? 0 : entry[0].val, high = low;
    for (size_t e = 0; e < listed->n; e++) {
        low = entry[e].val < low ? entry[e].val : low;
        high = entry[e].val > high ? entry[e].val : high;
    }
    for (size_t e = 0; e < listed->n; e++)
        entry[e].val = fraction((double)entry[e].val, (double)low, (double)high);
    return fraction(0, (double)low, (double)high);
}

/* Equal values, which are entries from..to, and perhaps the documents that do not list the feature.
 * Twice the mean of their ranks, from 0. */
struct tie {
    size_t from, to;
    double rank;
};

/* The tie after `tie`, of entries that are sorted by value; `zeros` documents list none. */
static struct tie next_tie(const struct listed *listed, struct tie tie, bool *zeros_seen)
{
    const struct entry *entry = listed->entry;
    size_t zeros = listed->docs - listed->n, n = listed->n, from = tie.to, to = from;
    bool zeros_next = zeros && !*zeros_seen && (from == n || entry[from].val >= 0);
    float value = zeros_next ? 0 : entry[from].val;
    while (to < n && entry[to].val == value)
        to++;
    size_t before = from + (*zeros_seen ? zeros : 0), size = to - from + (zeros_next ? zeros : 0);
    *zeros_seen = *zeros_seen || zeros_next;
    return (struct tie){ from, to, 2 * (double)before + (double)size - 1 };
}

static float rank_values(const struct listed *listed)
{
    size_t n = listed->n, zeros = listed->docs - n;
    bool zeros_seen = false;
    float zero = 0;
    double low = -1, high = 0;
    qsort(listed->entry, n, sizeof *listed->entry, by_value);
    for (struct tie tie = { 0, 0, 0 }; tie.to < n || (zeros && !zeros_seen);) {
        tie = next_tie(listed, tie, &zeros_seen);
        low = low < 0 ? tie.rank : low;
        high = tie.rank;
    }
    zeros_seen = false;
    for (struct tie tie = { 0, 0, 0 }; tie.to < n || (zeros && !zeros_seen);) {
        bool before = zeros_seen;
        tie = next_tie(listed, tie, &zeros_seen);
        float value = fraction(tie.rank, low, high);
        zero = zeros_seen && !before ? value : zero;
        for (size_t e = tie.from; e < tie.to; e++)
            listed->entry[e].val = value;
    }
    qsort(listed->entry, n, sizeof *listed->entry, by_feature);
    return zero;
}

/* The first entry of the next feature. */
static size_t next_feature(const struct rows *rows, const struct entry *entry, size_t e)
{
    size_t next = e;
    while (next < rows->entries && entry[next].idx == entry[e].idx)
        next++;
    return next;
}

/* 0, or a fault where more than SCALED_MOST entries could become of these, which are sorted by
 * feature: 0 becomes another number only where a value is below it. */
static int check_size(const struct rows *rows, const struct entry *entry, struct fault *fault)
{
    size_t count = 0;
    if (rows->entries <= SCALED_MOST / rows->docs)
        return 0;
    for (size_t e = 0, next; e < rows->entries && count <= SCALED_MOST; e = next) {
        bool below = false;
        next = next_feature(rows, entry, e);
        for (size_t i = e; i < next; i++)
            below = below || entry[i].val < 0;
        count += below ? rows->docs : next - e;
    }
    return count <= SCALED_MOST
               ? 0 : fault_data(fault, "a query that scales to more than %d features: one below 0 "
                                "makes every document list it", SCALED_MOST);
}

/* Appends one feature's entries to rows->scaled: those of all documents where 0 becomes another
 * number. */
static int append(struct rows *rows, const struct listed *listed, float zero, size_t *used,
                  struct fault *fault)
{
    const struct entry *entry = listed->entry;
    size_t n = listed->n, count = zero > 0 ? listed->docs : n;
    struct entry *out = buffer_for(&rows->scaled, *used + count, sizeof *out, fault);
    if (!out)
        return -1;
    for (size_t e = 0, i = 0; i < count; i++) {
        uint32_t doc = count == n ? entry[i].doc : (uint32_t)i;
        float val = e < n && entry[e].doc == doc ? entry[e++].val : zero;
        out[(*used)++] = (struct entry){ entry[0].idx, doc, val };
    }
    return 0;
}

/* Puts entries that are sorted by feature back into rows. */
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

static int change_rows(struct rows *rows, change_values *change, struct fault *fault)
{
    size_t used = 0;
    if (rows->entries == 0)
        return 0;
    struct entry *entry = sort_entries(rows, fault);
    if (!entry || check_size(rows, entry, fault) < 0)
        return -1;
    for (size_t e = 0, next; e < rows->entries; e = next) {
        next = next_feature(rows, entry, e);
        struct listed listed = { entry + e, next - e, rows->docs };
        if (append(rows, &listed, change(&listed), &used, fault) < 0)
            return -1;
    }
    return store_rows(rows, rows->scaled.at, used, fault);
}

/* ---- side by side: documents of which most list most features ---- */

/* Of each of `dim` features its least value, and the largest less that, or 1 where these are equal.
 * `high` is for use meanwhile. */
struct ranges {
    float *low, *high;
    double *range;
};

static int ranges_room(struct rows *rows, size_t dim, struct ranges *ranges, struct fault *fault)
{
    double *at = buffer_for(&rows->counts, dim, sizeof *at + 2 * sizeof(float), fault);
    if (!at)
        return -1;
    *ranges = (struct ranges){ .low = (float *)(at + dim), .high = (float *)(at + dim) + dim,
                               .range = at };
    return 0;
}

/* Finds the ranges over docs at least 1: false where a value is not finite. */
VECTORS_INLINE bool find_ranges(const unsigned char *x, size_t docs, size_t dim,
                                float *restrict low, float *restrict high,
                                double *restrict range)
{
    uint32_t carried = 0; /* into the sign bit, as unaligned_finite does it */
    for (size_t j = 0; j < dim; j++)
        low[j] = high[j] = unaligned_f4(x + j * sizeof *low);
    for (size_t i = 0; i < docs; i++, x += dim * sizeof *low) {
        for (size_t j = 0; j < dim; j++) {
            float value = unaligned_f4(x + j * sizeof value);
            carried |= (unaligned_u4(x + j * sizeof value) & INT32_MAX) + ((uint32_t)1 << 23);
            low[j] = value < low[j] ? value : low[j];
            high[j] = value > high[j] ? value : high[j];
        }
    }
    for (size_t j = 0; j < dim; j++)
        range[j] = high[j] > low[j] ? (double)high[j] - (double)low[j] : 1;
    return carried >> 31 == 0;
}

/* What `fraction` gives for each value. */
VECTORS_INLINE void scale_row(const unsigned char *x, size_t dim, const float *restrict low,
                              const double *restrict range, float *restrict made)
{
    for (size_t j = 0; j < dim; j++) {
        double value = (double)unaligned_f4(x + j * sizeof(float));
        made[j] = (float)((value - (double)low[j]) / range[j] + 0.0);
    }
}

VECTORS_INLINE bool scale_all(const unsigned char *x, size_t docs, size_t dim,
                              const struct ranges *ranges, float *made)
{
    if (!find_ranges(x, docs, dim, ranges->low, ranges->high, ranges->range))
        return false;
    for (size_t i = 0; i < docs; i++)
        scale_row(x + i * dim * sizeof *made, dim, ranges->low, ranges->range, made + i * dim);
    return true;
}

VECTORS_WIDE static bool scale_all_wide(const unsigned char *x, size_t docs, size_t dim,
                                        const struct ranges *ranges, float *made)
{
    return scale_all(x, docs, dim, ranges, made);
}

/* Scales x[docs][dim], docs at least 1, into `made`: false where a value is not finite. */
static bool scale_side_by_side(const void *x, size_t docs, size_t dim,
                               const struct ranges *ranges, float *made)
{
    return vectors_wide() ? scale_all_wide(x, docs, dim, ranges, made)
                          : scale_all(x, docs, dim, ranges, made);
}

int scale_dense(const struct matrix *x, struct rows *out, struct matrix *y, struct fault *fault)
{
    float *made;
    struct ranges ranges;
    if (x->docs == 0 || x->dim == 0)
        return 0;
    if (rows_dense(out, x->docs, x->dim, &made, fault) < 0)
        return -1;
    if (!made)
        return 0;
    if (ranges_room(out, x->dim, &ranges, fault) < 0)
        return -1;
    if (!scale_side_by_side(x->x, x->docs, x->dim, &ranges, made))
        return 0;
    if (rows_dense_matrix(out, x->docs, x->dim, y))
        return 1;
    const struct matrix zeros = *y; /* so many that the sparse form is smaller */
    return rows_take(out, &zeros, fault) < 0 || rows_matrix(out, x->dim, y, fault) < 0 ? -1 : 1;
}

/* The same for rows of which most features up to `width` are listed. */
static int scale_listed(struct rows *rows, size_t width, struct fault *fault)
{
    const uint32_t *ptr = rows->ptr.at, *idx = rows->idx.at;
    const float *val = rows->val.at;
    size_t docs = rows->docs;
    struct ranges ranges;
    float *x = buffer_for(&rows->sorted, docs * width, sizeof *x, fault);
    float *made = x ? buffer_for(&rows->scaled, docs * width, sizeof *made, fault) : NULL;
    if (!made || ranges_room(rows, width, &ranges, fault) < 0)
        return -1;
    memset(x, 0, docs * width * sizeof *x);
    for (size_t i = 0; i < docs; i++)
        for (size_t e = ptr[i]; e < ptr[i + 1]; e++)
            x[i * width + idx[e]] = val[e];
    (void)scale_side_by_side(x, docs, width, &ranges, made); /* all are finite */
    const struct matrix scaled = { .form = MATRIX_DENSE, .docs = docs, .dim = width,
                                   .x = (const unsigned char *)made };
    return rows_take(rows, &scaled, fault);
}

/* With more places to a listed feature, sorting these is faster; with more places in all, it takes
 * less memory. */
enum { PLACES = 8, PLACES_MOST = 1 << 25 };

int scale_rows(struct rows *rows, struct fault *fault)
{
    size_t width = find_width(rows);
    uint64_t places = (uint64_t)rows->docs * width;
    if (rows->entries && places <= PLACES_MOST && places / PLACES <= rows->entries)
        return scale_listed(rows, width, fault);
    return change_rows(rows, scale_values, fault);
}

int scale_rank_rows(struct rows *rows, struct fault *fault)
{
    return change_rows(rows, rank_values, fault);
}
