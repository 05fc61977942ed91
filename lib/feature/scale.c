#include "feature/scale.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/scale_dense.h"

/* ---- by sorting: ranks, and values where few are listed ---- */

enum { SCALED_MOST = 1 << 27 }; /* 2 GB of entries */

struct entry {
    double value;
    uint32_t idx, doc;
};

/* The entries of one feature, rising by value. */
struct listed {
    struct entry *entry; /* entry[n] */
    size_t n, docs;      /* docs - n documents do not list it: 0 */
};

static int by_feature_and_value(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->idx != y->idx)
        return x->idx < y->idx ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static struct entry *sort_entries(struct rows *rows, struct fault *fault)
{
    struct entry *entry = buffer_for(&rows->sorted, rows->entries, sizeof *entry, fault);
    const uint32_t *ptr = rows->ptr.at, *idx = rows->idx.at;
    const float *val = rows->val.at;
    for (uint32_t i = 0; entry && i < rows->docs; i++)
        for (size_t e = ptr[i]; e < ptr[i + 1]; e++)
            entry[e] = (struct entry){ (double)val[e], idx[e], i };
    if (entry)
        qsort(entry, rows->entries, sizeof *entry, by_feature_and_value);
    return entry;
}

/* The feature whose first entry is number e. */
static struct listed listed_from(const struct rows *rows, struct entry *entry, size_t e)
{
    size_t end = e;
    while (end < rows->entries && entry[end].idx == entry[e].idx)
        end++;
    return (struct listed){ entry + e, end - e, rows->docs };
}

/* Twice the mean rank, from 0, of `equal` values after `before` others. */
static double twice_rank(size_t before, size_t equal)
{
    return 2 * (double)before + (double)equal - 1;
}

/* Replaces values, none of which is 0, by their ranks. Returns that of 0. */
static double rank(const struct listed *listed)
{
    struct entry *entry = listed->entry;
    size_t zeros = listed->docs - listed->n, below = 0;
    for (size_t e = 0, next = 0; e < listed->n; e = next) {
        double value = entry[e].value;
        while (next < listed->n && entry[next].value == value)
            next++;
        below = value < 0 ? next : below;
        for (size_t i = e; i < next; i++)
            entry[i].value = twice_rank(value < 0 ? e : e + zeros, next - e);
    }
    return twice_rank(below, zeros);
}

/* (x - low) / (high - low), as scale_dense computes it, and never -0. */
static double fraction(double x, double low, double high)
{
    return high > low ? (x - low) * (1 / (high - low)) + 0.0 : 0;
}

/* Scales the values of one feature in place. Returns what `zero` becomes, the value of documents
 * that do not list it. */
static float scale(const struct listed *listed, double zero)
{
    struct entry *entry = listed->entry;
    size_t n = listed->n;
    double low = entry[0].value, high = entry[n - 1].value;
    if (n < listed->docs) {
        low = zero < low ? zero : low;
        high = zero > high ? zero : high;
    }
    for (size_t e = 0; e < n; e++)
        entry[e].value = fraction(entry[e].value, low, high);
    return (float)fraction(zero, low, high);
}

/* 0, or a fault where more than SCALED_MOST entries would become of these: 0 becomes another number
 * only where a value is below it. */
static int check_size(const struct rows *rows, struct entry *entry, struct fault *fault)
{
    size_t count = 0;
    if (rows->entries <= SCALED_MOST / rows->docs)
        return 0;
    for (size_t e = 0; e < rows->entries && count <= SCALED_MOST;) {
        struct listed listed = listed_from(rows, entry, e);
        count += entry[e].value < 0 ? rows->docs : listed.n;
        e += listed.n;
    }
    return count <= SCALED_MOST
               ? 0 : fault_data(fault, "the scaled query would have more than %d features that are "
                                "not 0: a feature below 0 is listed in every document",
                                SCALED_MOST);
}

/* Appends one feature's entries to rows->scaled: those of all documents where 0 becomes another
 * number. */
static int append(struct rows *rows, const struct listed *listed, float zero, size_t *used,
                  struct fault *fault)
{
    const struct entry *entry = listed->entry;
    size_t n = listed->n, count = zero > 0 ? listed->docs : n;
    struct entry *out = buffer_for(&rows->scaled, *used + count, sizeof *out, fault);
    if (!out) return -1;
    out += *used;
    for (size_t i = 0; count > n && i < count; i++)
        out[i] = (struct entry){ (double)zero, entry[0].idx, (uint32_t)i };
    for (size_t e = 0; e < n; e++)
        out[count > n ? entry[e].doc : e] = entry[e];
    *used += count;
    return 0;
}

/* Puts entries that rise by feature back into rows. */
static int store_rows(struct rows *rows, const struct entry *entry, size_t n, struct fault *fault)
{
    uint32_t *ptr = rows->ptr.at, *idx = buffer_for(&rows->idx, n, sizeof *idx, fault);
    float *val = idx ? buffer_for(&rows->val, n, sizeof *val, fault) : NULL;
    if (!val) return -1;
    memset(ptr, 0, (rows->docs + 1) * sizeof *ptr);
    for (size_t e = 0; e < n; e++)
        ptr[entry[e].doc + 1]++;
    for (size_t i = 0; i < rows->docs; i++)
        ptr[i + 1] += ptr[i];
    for (size_t e = 0; e < n; e++) {
        uint32_t at = ptr[entry[e].doc]++;
        idx[at] = entry[e].idx;
        val[at] = (float)entry[e].value;
    }
    memmove(ptr + 1, ptr, rows->docs * sizeof *ptr); /* each start had become its row's end */
    ptr[0] = 0;
    rows->entries = n;
    return 0;
}

static int scale_sorted(const struct matrix *x, bool ranks, struct rows *out, struct matrix *y,
                        struct fault *fault)
{
    size_t used = 0;
    if (rows_take(out, x, fault) < 0 || rows_finite(out, "is", fault) < 0) return -1;
    struct entry *entry = out->entries ? sort_entries(out, fault) : NULL;
    if (out->entries && (!entry || check_size(out, entry, fault) < 0)) return -1;
    for (size_t e = 0; e < out->entries;) {
        struct listed listed = listed_from(out, entry, e);
        double zero = ranks ? rank(&listed) : 0;
        if (append(out, &listed, scale(&listed, zero), &used, fault) < 0) return -1;
        e += listed.n;
    }
    if (out->entries && store_rows(out, out->scaled.at, used, fault) < 0) return -1;
    return rows_matrix(out, x->dim, y, fault);
}

int scale_ranks(const struct matrix *x, struct rows *out, struct matrix *y, struct fault *fault)
{
    return scale_sorted(x, true, out, y, fault);
}

/* ---- by the range of each feature: values where few are listed ---- */

/* The least and the largest value of a feature, and how many documents list it. */
struct range {
    double low, high;
    size_t n;
};

/* Scales the values listed in place. False, and nothing has changed, where 0 becomes another
 * number, because a value is below it. */
static bool scale_ranges(struct rows *rows, const struct range *range)
{
    const uint32_t *idx = rows->idx.at;
    float *val = rows->val.at;
    for (size_t e = 0; e < rows->entries; e++)
        if (range[idx[e]].low < 0)
            return false;
    for (size_t e = 0; e < rows->entries; e++) {
        const struct range *of = &range[idx[e]];
        double low = of->n < rows->docs ? 0 : of->low;
        val[e] = (float)fraction((double)val[e], low, of->high);
    }
    return true;
}

static int scale_listed(const struct matrix *x, struct rows *out, struct matrix *y,
                        struct fault *fault)
{
    struct range *range = buffer_for(&out->ranges, x->dim, sizeof *range, fault);
    if (!range || rows_take(out, x, fault) < 0 || rows_finite(out, "is", fault) < 0) return -1;

    /* Of the features listed, by their numbers; no other number is read or written. */
    const uint32_t *idx = out->idx.at;
    const float *val = out->val.at;
    for (size_t e = 0; e < out->entries; e++) {
        if (e + MATRIX_AHEAD < out->entries)
            __builtin_prefetch(&range[idx[e + MATRIX_AHEAD]], 1);
        range[idx[e]] = (struct range){ (double)val[e], (double)val[e], 0 };
    }
    for (size_t e = 0; e < out->entries; e++) {
        struct range *of = &range[idx[e]];
        double value = (double)val[e];
        of->low = value < of->low ? value : of->low;
        of->high = value > of->high ? value : of->high;
        of->n++;
    }

    return scale_ranges(out, range) ? rows_matrix(out, x->dim, y, fault)
                                    : scale_sorted(x, false, out, y, fault);
}

/* ---- side by side: values where most are listed ---- */

/* With more places to a listed feature, going by these is faster; with more places in all, it takes
 * less memory. Features that are more are sorted, so that nothing is as long as their numbers. */
enum { PLACES = 16, PLACES_MOST = 1 << 25, RANGES_MOST = 1 << 22 };

int scale_values(const struct matrix *x, struct rows *out, struct matrix *y, struct fault *fault)
{
    bool dense = x->kind == MATRIX_DENSE;
    uint64_t places = (uint64_t)x->docs * x->dim;
    if (places == 0 || places > (dense ? ROWS_MOST : PLACES_MOST) ||
        places / PLACES > matrix_entries(x))
        return x->dim <= RANGES_MOST ? scale_listed(x, out, y, fault)
                                     : scale_sorted(x, false, out, y, fault);
    double *sum = buffer_for(&out->ranges, x->dim, 4 * sizeof *sum, fault);
    float *from = buffer_for(&out->sorted, dense ? 0 : (size_t)places, sizeof *from, fault);
    float *made = buffer_for(&out->dense, (size_t)places, sizeof *made, fault);
    if (!sum || !from || !made) return -1;
    struct scaled_dense all = { .made = made, .sum = sum };
    if (!dense)
        matrix_spread(x, from);
    if (!scale_dense(dense ? x->x : (const unsigned char *)from, x->docs, x->dim, sum + x->dim,
                     &all))
        return scale_sorted(x, false, out, y, fault); /* which names what is not finite */
    const struct matrix scaled = { .kind = MATRIX_DENSE, .docs = x->docs, .dim = x->dim,
                                   .x = (const unsigned char *)made, .sum = sum };
    *y = scaled;
    if (matrix_dense_is_smaller(scaled.docs, scaled.dim, all.nonzero))
        return 0;
    return rows_take(out, &scaled, fault) < 0 ? -1 : rows_matrix(out, scaled.dim, y, fault);
}
