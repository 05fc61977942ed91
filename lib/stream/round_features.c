#include "stream/round_features.h"

#include <inttypes.h>
#include <string.h>

#include "base/unaligned.h"
#include "stream/round_columns.h"
#include "stream/round_keys.h"

/* ---- reading ---- */

/* The entries from..to of document i: idx rises and stays below dim. */
static int check_row(const struct matrix *x, size_t i, size_t from, size_t to, struct fault *fault)
{
    uint64_t least = 0;
    for (size_t e = from; e < to; e++) {
        uint32_t j = unaligned_u4(x->idx + 4 * e);
        if (j < least || j >= x->dim)
            return fault_data(fault, "idx %zu (document %zu) is %" PRIu32 ": it must be at least %"
                              PRIu64 " and below dim=%zu", e, i, j, least, x->dim);
        least = (uint64_t)j + 1;
    }
    return 0;
}

static int check_rows(const struct matrix *x, uint64_t values, struct fault *fault)
{
    uint32_t from = unaligned_u4(x->ptr);
    if (from != 0)
        return fault_data(fault, "ptr 0 is %" PRIu32 ", not 0", from);
    for (size_t i = 0; i < x->docs; i++) {
        uint32_t to = unaligned_u4(x->ptr + 4 * (i + 1));
        if (to < from || to > values)
            return fault_data(fault, "ptr %zu is %" PRIu32 ", not from %" PRIu32 " to %" PRIu64,
                              i + 1, to, from, values);
        if (check_row(x, i, from, to, fault) < 0)
            return -1;
        from = to;
    }
    if (from != values)
        return fault_data(fault, "ptr %zu is %" PRIu32 ", but there are %" PRIu64 " values",
                          x->docs, from, values);
    return 0;
}

static int sparse_features(const struct column *const *known, struct matrix *x,
                           struct fault *fault)
{
    const struct column *ptr = known[ROUND_PTR], *idx = known[ROUND_IDX], *val = known[ROUND_VAL];
    if (!ptr || !idx || !val)
        return fault_data(fault, "sparse features need the three columns ptr, idx and val");
    x->form = MATRIX_SPARSE;
    x->ptr = ptr->data;
    x->idx = idx->data;
    x->val = val->data;
    return check_rows(x, val->count, fault);
}

int round_features(const struct round *round, struct matrix *x, struct fault *fault)
{
    const struct column *known[ROUND_COLUMNS + 1];
    if (round->checked) {
        *x = round->x;
        return 0;
    }
    round_columns_find(round->record, known);
    const struct column *dense = known[ROUND_X];
    bool sparse = known[ROUND_PTR] || known[ROUND_IDX] || known[ROUND_VAL];
    memset(x, 0, sizeof *x);
    x->docs = round->docs;
    x->dim = round->dim;
    if (round_columns_check_features(round, known, fault) < 0)
        return -1;
    if (dense && sparse)
        return fault_data(fault, "dense features (x) and sparse ones (ptr, idx, val) exclude each "
                          "other");
    if (sparse)
        return sparse_features(known, x, fault);
    x->form = round->dim ? MATRIX_DENSE : MATRIX_UNIT;
    if (round->dim && !dense)
        return fault_data(fault, "dim=%zu, but the round has no features", round->dim);
    x->x = dense ? dense->data : NULL;
    return 0;
}

/* ---- replacing ---- */

static int put(struct record *record, enum round_column column, enum column_type type,
               uint64_t count, const void *data, struct fault *fault)
{
    return record_put(record, record->columns, round_column_name(column), type, count, data, fault);
}

static int put_features(struct record *record, const struct matrix *x, struct fault *fault)
{
    if (x->form == MATRIX_DENSE)
        return put(record, ROUND_X, COLUMN_F4, (uint64_t)x->docs * x->dim, x->x, fault);
    if (x->form == MATRIX_UNIT)
        return 0;
    uint64_t values = unaligned_u4(x->ptr + 4 * x->docs);
    if (put(record, ROUND_PTR, COLUMN_U4, (uint64_t)x->docs + 1, x->ptr, fault) < 0 ||
        put(record, ROUND_IDX, COLUMN_U4, values, x->idx, fault) < 0)
        return -1;
    return put(record, ROUND_VAL, COLUMN_F4, values, x->val, fault);
}

int round_new_features(struct round *round, const struct matrix *x, struct fault *fault)
{
    struct record *record = round->record;
    for (size_t c = ROUND_X; c < ROUND_COLUMNS; c++)
        round_drop(round, (enum round_column)c);
    record->spliced = NULL; /* only the old features are there, which nobody needs now */
    record->mapped = false;
    round->live = false; /* the scores were computed from the old features */
    round->x = *x;
    round->checked = true;
    if (round_set(round, KEY_DIM, x->dim, fault) < 0)
        return -1;
    return put_features(record, x, fault);
}

size_t round_feature_bytes(const struct record *record)
{
    size_t bytes = 0;
    for (size_t c = 0; c < record->columns; c++) {
        bool feature = round_column_is_feature(round_column_find(record->column[c].name));
        if (bytes && !feature)
            return 0;
        bytes += feature ? column_bytes(&record->column[c]) : 0;
    }
    return bytes;
}
