#include "memory/memory_columns.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/unaligned.h"

enum { KEYS, ANSWERS, SUMS, COLUMNS };

static const struct entry_column {
    const char *name; /* NULL: entries of this kind have no such number */
    enum column_type type;
    size_t offset; /* of the number in an entry */
} columns[][COLUMNS] = {
    [MEMORY_PAIRS] = { { "keys", COLUMN_U8, offsetof(struct memory_entry, key) },
                       { "answers", COLUMN_F8, offsetof(struct memory_entry, n) },
                       { "sums", COLUMN_F8, offsetof(struct memory_entry, sum) } },
    [MEMORY_QUERIES] = { { "queries", COLUMN_U8, offsetof(struct memory_entry, key) },
                         { "served", COLUMN_F8, offsetof(struct memory_entry, n) } },
};

/* ---- out ---- */

/* One column of the table, made while it is written: keys rising. */
struct table_column {
    struct column_source source; /* first, so that `next` finds the rest */
    const struct memory_table *table;
    struct memory_walk walk;
    size_t offset;
};

static void next_numbers(struct column_source *source, void *values, size_t n)
{
    struct table_column *my = (struct table_column *)source;
    for (size_t i = 0; i < n; i++) {
        const char *entry = (const char *)memory_table_next(my->table, &my->walk);
        memcpy((char *)values + 8 * i, entry + my->offset, 8);
    }
}

static void first_again(struct column_source *source)
{
    struct table_column *my = (struct table_column *)source;
    memset(&my->walk, 0, sizeof my->walk);
}

int memory_columns_put(enum memory_kind kind, struct buffer *buffer,
                       const struct memory_table *table, struct model *model, struct fault *fault)
{
    struct table_column *made = buffer_for(buffer, COLUMNS, sizeof *made, fault);
    for (size_t c = 0; made && c < COLUMNS && columns[kind][c].name; c++) {
        made[c] = (struct table_column){ .source = { next_numbers, first_again }, .table = table,
                                         .offset = columns[kind][c].offset };
        if (record_put_source(&model->record, columns[kind][c].name, columns[kind][c].type,
                              table->used, &made[c].source, fault) < 0)
            return -1;
    }
    return made ? 0 : -1;
}

int memory_columns_put_some(enum memory_kind kind, struct buffer *buffer,
                            const struct memory_table *table, const uint64_t *key, size_t n,
                            struct model *model, struct fault *fault)
{
    const struct entry_column *column = columns[kind];
    double *number = buffer_for(buffer, n, 2 * sizeof *number, fault);
    if (!number)
        return -1;
    for (size_t e = 0; e < n; e++) {
        const struct memory_entry *entry = memory_table_find(table, key[e]);
        number[e] = entry->n;
        number[n + e] = entry->sum;
    }
    if (record_put(&model->record, column[KEYS].name, COLUMN_U8, n, key, fault) < 0 ||
        model_put(model, column[ANSWERS].name, n, number, fault) < 0)
        return -1;
    return column[SUMS].name ? model_put(model, column[SUMS].name, n, number + n, fault) : 0;
}

/* ---- in ---- */

const struct memory_table *memory_columns_table(enum memory_kind kind, const struct model *model)
{
    const struct column *keys = record_column(&model->record, columns[kind][KEYS].name);
    if (!keys || !keys->source || keys->source->next != next_numbers)
        return NULL;
    return ((const struct table_column *)keys->source)->table;
}

int memory_columns_find(enum memory_kind kind, const struct model *model,
                        struct memory_arrays *arrays, struct fault *fault)
{
    const struct entry_column *column = columns[kind];
    const struct column *keys = record_column(&model->record, column[KEYS].name);
    *arrays = (struct memory_arrays){ .count = 0 };
    if (kind == MEMORY_QUERIES && !keys)
        return 0;
    if (!keys || keys->type != COLUMN_U8)
        return fault_data(fault, "model: no column %s:u8[n], which memory needs",
                          column[KEYS].name);
    size_t n = (size_t)keys->count;
    for (size_t c = ANSWERS; c < COLUMNS && column[c].name; c++)
        if (!model_has(model, column[c].name, n, fault))
            return -1;
    arrays->key = keys->data;
    arrays->count = n;
    arrays->n = record_column(&model->record, column[ANSWERS].name)->data;
    if (column[SUMS].name)
        arrays->sum = record_column(&model->record, column[SUMS].name)->data;
    return 0;
}

int memory_columns_check(const struct memory_arrays *arrays, struct fault *fault)
{
    uint64_t last = 0;
    for (size_t i = 0; i < arrays->count; i++) {
        uint64_t key = unaligned_u8(arrays->key + 8 * i);
        double n = unaligned_f8(arrays->n + 8 * i);
        double sum = arrays->sum ? unaligned_f8(arrays->sum + 8 * i) : 0;
        if (key <= last)
            return fault_data(fault, "model: key %zu is %" PRIu64 ", but must be above %" PRIu64
                              ": keys must rise", i, key, last);
        if (!(n >= 0) || isinf(n) || !isfinite(sum))
            return fault_data(fault, "model: pair %zu has %g answers with the sum %g: both must be "
                              "finite, and the first at least 0", i, n, sum);
        last = key;
    }
    return 0;
}
