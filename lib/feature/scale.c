#include "feature/scale.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* (x - low) / (high - low), 0 where these are equal, and never -0. */
static inline double fraction(double x, double low, double high)
{
    return (x - low) / (high > low ? high - low : 1) + 0.0;
}

/* ---- by sorting: ranks, and values where few are listed ---- */

enum { SCALED_MOST = 1 << 27 }; /* 2 GB of entries */

struct entry {
    double value;
    uint32_t idx, doc;
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

/* How many entries are those of the first one's feature. */
static size_t count_feature(const struct entry *entry, size_t entries)
{
    size_t n = 1;
    while (n < entries && entry[n].idx == entry[0].idx)
        n++;
    return n;
}

/* Twice the mean rank, from 0, of `equal` values after `before` others. */
static double twice_rank(size_t before, size_t equal)
{
    return 2 * (double)before + (double)equal - 1;
}

/* Replaces the values of one feature, which rise and none of which is 0, by their ranks among these
 * and so many zeros. Returns the rank of a zero. */
static double rank(struct entry *entry, size_t n, size_t zeros)
{
    size_t below = 0;
    for (size_t e = 0, next = 0; e < n; e = next) {
        double value = entry[e].value;
        while (next < n && entry[next].value == value)
            next++;
        below = value < 0 ? next : below;
        for (size_t i = e; i < next; i++)
            entry[i].value = twice_rank(value < 0 ? e : e + zeros, next - e);
    }
    return twice_rank(below, zeros);
}

/* Scales the values of one feature, which rise, among these and so many of `zero`, the value of
 * documents that do not list it. Returns what `zero` becomes. */
static float scale(struct entry *entry, size_t n, size_t zeros, double zero)
{
    double low = entry[0].value, high = entry[n - 1].value;
    low = zeros && zero < low ? zero : low;
    high = zeros && zero > high ? zero : high;
    for (size_t e = 0; e < n; e++)
        entry[e].value = fraction(entry[e].value, low, high);
    return zeros ? (float)fraction(zero, low, high) : 0;
}

/* 0, or a fault where more than SCALED_MOST entries would become of these: 0 becomes another number
 * only where a value is below it. */
static int check_size(const struct rows *rows, struct entry *entry, struct fault *fault)
{
    size_t count = 0;
    for (size_t e = 0, n; e < rows->entries && count <= SCALED_MOST; e += n) {
        n = count_feature(entry + e, rows->entries - e);
        count += entry[e].value < 0 ? rows->docs : n;
    }
    return count <= SCALED_MOST
               ? 0 : fault_data(fault, "the scaled query would have more than %d features that are "
                                "not 0: a feature below 0 is listed in every document",
                                SCALED_MOST);
}

/* Appends one feature's entries to rows->scaled: those of all documents where 0 became another
 * number. */
static int append(struct rows *rows, const struct entry *entry, size_t n, float zero, size_t *used,
                  struct fault *fault)
{
    size_t count = zero > 0 ? rows->docs : n;
    struct entry *out = buffer_for(&rows->scaled, *used + count, sizeof *out, fault);
    if (!out)
        return -1;
    out += *used;
    for (size_t i = 0; zero > 0 && i < count; i++)
        out[i] = (struct entry){ (double)zero, entry[0].idx, (uint32_t)i };
    for (size_t e = 0; e < n; e++)
        out[zero > 0 ? entry[e].doc : e] = entry[e];
    *used += count;
    return 0;
}

/* Puts entries that rise by feature back into rows. */
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
    if (rows_take(out, x, fault) < 0 || rows_finite(out, "is", fault) < 0)
        return -1;
    if (out->entries == 0)
        return rows_matrix(out, x->dim, y, fault);
    struct entry *entry = sort_entries(out, fault);
    if (!entry || check_size(out, entry, fault) < 0)
        return -1;
    for (size_t e = 0, n; e < out->entries; e += n) {
        n = count_feature(entry + e, out->entries - e);
        size_t zeros = out->docs - n;
        double zero = ranks ? rank(entry + e, n, zeros) : 0;
        if (append(out, entry + e, n, scale(entry + e, n, zeros, zero), &used, fault) < 0)
            return -1;
    }
    return store_rows(out, out->scaled.at, used, fault) < 0 ? -1
                                                            : rows_matrix(out, x->dim, y, fault);
}

int scale_ranks(const struct matrix *x, struct rows *out, struct matrix *y, struct fault *fault)
{
    return scale_sorted(x, true, out, y, fault);
}

/* ---- in place: values where most are listed ---- */

/* With more places to a listed feature, sorting these is faster. */
enum { PLACES = 64 };

/* Scales x[docs][dim]; a value that is not finite becomes NaN, perhaps with others. `spare` has
 * room for 2 dim. */
static void scale_dense(float *restrict x, size_t docs, size_t dim, double *spare)
{
    double *restrict range = spare;
    float *restrict low = (float *)(spare + dim), *restrict high = low + dim;
    memcpy(low, x, dim * sizeof *low);
    memcpy(high, x, dim * sizeof *high);
    for (size_t i = 0; i < docs; i++) {
        for (size_t j = 0; j < dim; j++) {
            float value = x[i * dim + j];
            low[j] = value < low[j] ? value : low[j];
            high[j] = value > high[j] ? value : high[j];
        }
    }
    for (size_t j = 0; j < dim; j++)
        range[j] = high[j] > low[j] ? (double)high[j] - (double)low[j] : 1;
    for (size_t i = 0; i < docs; i++)
        for (size_t j = 0; j < dim; j++)
            x[i * dim + j] = (float)(((double)x[i * dim + j] - (double)low[j]) / range[j] + 0.0);
}

int scale_values(const struct matrix *x, struct rows *out, struct matrix *y, struct fault *fault)
{
    uint64_t places = (uint64_t)x->docs * x->dim;
    uint32_t nonzero = 0, finite = 0;
    if (places == 0 || places > ROWS_MOST || places / PLACES > matrix_entries(x))
        return scale_sorted(x, false, out, y, fault);
    double *spare = buffer_for(&out->ranges, x->dim, 2 * sizeof *spare, fault);
    float *made = buffer_for(&out->dense, (size_t)places, sizeof *made, fault);
    if (!spare || !made)
        return -1;
    matrix_spread(x, made);
    scale_dense(made, x->docs, x->dim, spare);
    for (size_t i = 0; i < places; i++) {
        nonzero += made[i] != 0;
        finite += made[i] <= 1;
    }
    if (finite < places)
        return scale_sorted(x, false, out, y, fault); /* which names what is not finite */
    *y = (struct matrix){ .form = MATRIX_DENSE, .docs = x->docs, .dim = x->dim,
                          .x = (const unsigned char *)made };
    if (matrix_dense_is_smaller(y->docs, y->dim, nonzero))
        return 0;
    return rows_take(out, y, fault) < 0 ? -1 : rows_matrix(out, y->dim, y, fault);
}
