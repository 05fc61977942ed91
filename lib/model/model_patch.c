#include "model/model_patch.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/unaligned.h"
#include "stream/record_header.h"

#define GONE "-gone" /* after the name of a table's first column: that of the keys that are gone */

/* ---- the whole that it is of ---- */

static void print_of(char *text, struct patch_of of)
{
    char digits[CHECKSUM_DIGITS + 1] = "";
    checksum_print(digits, of.crc);
    sprintf(text, "%" PRIu64 ".%s", of.rounds, digits);
}

void patch_name(char name[PATCH_NAME], struct patch_of of)
{
    char text[PATCH_NAME / 2];
    print_of(text, of);
    snprintf(name, PATCH_NAME, "whole.%s.bin", text);
}

int patch_since(const struct record *patch, struct patch_of *of, struct fault *fault)
{
    const char *text = record_key(patch, "since");
    const char *end = text ? record_digits(text, RECORD_MOST - 1, &of->rounds) : NULL;
    if (end && *end == '.' && strlen(end + 1) == CHECKSUM_DIGITS &&
        checksum_parse(end + 1, &of->crc))
        return 0;
    return fault_data(fault, "patch: since=%.40s is not rounds, a dot, and the eight digits of "
                      "crc=", text ? text : "");
}

/* ---- rows ---- */

/* The columns of a table, perhaps unaligned; the first is that of keys. */
struct rows {
    size_t n, columns;
    const unsigned char *column[PATCH_COLUMNS];
};

static uint64_t key_at(const unsigned char *keys, size_t i)
{
    return unaligned_u8(keys + 8 * i);
}

/* Points *rows at the columns of these names. A record without the first has no row. False where
 * the others are not like it, or are no numbers of 8 bytes. */
static bool find_rows(const struct record *record, const struct column *named, size_t columns,
                      struct rows *rows)
{
    *rows = (struct rows){ .columns = columns };
    for (size_t c = 0; c < columns; c++) {
        const struct column *column = record_column(record, named[c].name);
        if (!column && c == 0)
            return true;
        if (!column || !column->data || column->type != named[c].type ||
            column_width(column->type) != 8 || (c > 0 && column->count != rows->n))
            return false;
        rows->n = (size_t)column->count;
        rows->column[c] = column->data;
    }
    return true;
}

/* ---- out ---- */

static int add_number(struct buffer *buffer, size_t at, uint64_t number, struct fault *fault)
{
    size_t room = buffer->bytes / 8 > at ? at + 1 : 2 * at + 64;
    uint64_t *numbers = buffer_for(buffer, room, sizeof *numbers, fault);
    if (!numbers) return -1;
    numbers[at] = number;
    return 0;
}

static int add_gone(struct patch_table *table, uint64_t key, struct fault *fault)
{
    return add_number(&table->gone, table->rows_gone++, key, fault);
}

static bool row_differs(const struct rows *old, size_t row, uint64_t *const *value, size_t i)
{
    for (size_t c = 1; c < old->columns; c++)
        if (key_at(old->column[c], row) != value[c][i])
            return true;
    return false;
}

/* Adds what n rows of the model change; *row is the next of the old ones. */
static int add_piece(struct patch_table *table, const struct rows *old, size_t *row,
                     uint64_t *const *value, size_t n, struct fault *fault)
{
    for (size_t i = 0; i < n; i++) {
        for (; *row < old->n && key_at(old->column[0], *row) < value[0][i]; ++*row)
            if (add_gone(table, key_at(old->column[0], *row), fault) < 0) return -1;
        bool known = *row < old->n && key_at(old->column[0], *row) == value[0][i];
        bool differs = !known || row_differs(old, *row, value, i);
        *row += known;
        for (size_t c = 0; differs && c < old->columns; c++)
            if (add_number(&table->column[c], table->rows, value[c][i], fault) < 0) return -1;
        table->rows += differs;
    }
    return 0;
}

static size_t table_bytes(const struct patch_table *table, size_t columns)
{
    return 8 * (columns * table->rows + table->rows_gone);
}

/* Finds what a table of the model changes, of which the columns are the next ones. 1; 0: it takes
 * more than `most` bytes; or a fault. */
static int find_changes(struct patch_table *table, const struct column *column,
                        const struct rows *old, size_t most, struct fault *fault)
{
    enum { PIECE = 1024 };
    uint64_t piece[PATCH_COLUMNS][PIECE], *value[PATCH_COLUMNS];
    struct column_source *source = column->source;
    size_t row = 0;
    int result = 1;
    for (size_t c = 0; c < PATCH_COLUMNS; c++)
        value[c] = piece[c];
    for (uint64_t from = 0, n; result > 0 && from < column->count; from += n) {
        n = column->count - from < PIECE ? column->count - from : PIECE;
        source->next_of_all(source, value, (size_t)n);
        result = add_piece(table, old, &row, value, (size_t)n, fault) < 0 ? -1
                 : table_bytes(table, old->columns) <= most;
    }
    source->again(source);
    for (; result > 0 && row < old->n; row++)
        result = add_gone(table, key_at(old->column[0], row), fault) < 0 ? -1
                 : table_bytes(table, old->columns) <= most;
    return result;
}

/* Adds `columns` columns of the model as a table. */
static int add_table(struct model_patch *patch, const struct column *column, size_t columns,
                     const struct record *whole, size_t most, struct fault *fault)
{
    struct rows old;
    struct patch_table *table = &patch->table[patch->tables];
    size_t used = strlen(patch->words), named = strlen(column->name) + sizeof GONE;
    if (patch->tables == PATCH_TABLES || named + 4 > PATCH_NAME ||
        !find_rows(whole, column, columns, &old))
        return 0;
    int result = find_changes(table, column, &old, most, fault);
    if (result <= 0)
        return result;
    patch->tables++;
    sprintf(patch->words + used, "%s%s:%zu", used ? "," : "", column->name, columns);
    sprintf(table->gone_name, "%s" GONE, column->name);
    for (size_t c = 0; c < columns; c++) {
        void *at = buffer_for(&table->column[c], table->rows + 1, 8, fault);
        if (!at || record_put(&patch->record, column[c].name, column[c].type, table->rows, at,
                              fault) < 0)
            return -1;
    }
    void *gone = buffer_for(&table->gone, table->rows_gone + 1, 8, fault);
    return !gone || record_put(&patch->record, table->gone_name, COLUMN_U8, table->rows_gone, gone,
                               fault) < 0
               ? -1 : 1;
}

static int put_keys(struct record *record, const struct record *model, struct patch_of of,
                    const char *tables, struct fault *fault)
{
    char since[PATCH_NAME];
    size_t n = model->keys;
    print_of(since, of);
    for (size_t k = 0; k < n; k++)
        if (record_set(record, k, model->key[k].name, model->key[k].value, fault) < 0) return -1;
    if (record_set(record, n, "since", since, fault) < 0) return -1;
    return *tables ? record_set(record, n + 1, "tables", tables, fault) : 0;
}

int patch_make(struct model_patch *patch, const struct record *model, const struct record *whole,
               struct patch_of of, size_t most, struct fault *fault)
{
    struct record *record = &patch->record;
    record_start(record, RECORD_PATCH);
    for (size_t c = 0, bytes = 0; c < model->columns;) {
        const struct column *column = &model->column[c];
        size_t columns = column->source ? column->source->together : 0;
        int added = columns ? add_table(patch, column, columns, whole, most, fault)
                    : record_put(record, column->name, column->type, column->count, column->data,
                                 fault) < 0 ? -1 : 1;
        if (added <= 0)
            return added;
        bytes += columns ? table_bytes(&patch->table[patch->tables - 1], columns)
                         : column_bytes(column);
        if (bytes > most)
            return 0;
        c += columns ? columns : 1;
    }
    return put_keys(record, model, of, patch->words, fault) < 0 ? -1 : 1;
}

void patch_close(struct model_patch *patch)
{
    for (size_t t = 0; t < PATCH_TABLES; t++) {
        for (size_t c = 0; c < PATCH_COLUMNS; c++)
            buffer_free(&patch->table[t].column[c]);
        buffer_free(&patch->table[t].gone);
    }
}

/* ---- in ---- */

/* A table of a patch: where its columns begin, the rows that it has and the whole has, and the keys
 * that are gone. */
struct parts {
    size_t first;
    struct rows now, old;
    const unsigned char *gone;
    size_t n_gone, n; /* rows of the model */
};

static int wrong_table(const struct column *keys, const char *what, struct fault *fault)
{
    return fault_data(fault, "patch: table %.40s: %s", keys->name, what);
}

/* Rows of the whole, but those that are gone, and rows of the patch, in the order of their keys:
 * counts them, and with `out` copies them there. */
static int merge(struct parts *parts, const struct column *keys, unsigned char *const *out,
                 struct fault *fault)
{
    const struct rows *old = &parts->old, *now = &parts->now;
    size_t o = 0, p = 0, g = 0, n = 0;
    uint64_t last = 0;
    while (o < old->n || p < now->n) {
        uint64_t was = o < old->n ? key_at(old->column[0], o) : UINT64_MAX;
        uint64_t is = p < now->n ? key_at(now->column[0], p) : UINT64_MAX;
        bool changed = p < now->n && (o == old->n || is <= was);
        const struct rows *from = changed ? now : old;
        uint64_t key = changed ? is : was;
        size_t row = changed ? p++ : o;
        o += !changed || (o < old->n && was == is);
        if (key <= last)
            return wrong_table(keys, "its keys do not rise", fault);
        last = key;
        if (!changed && g < parts->n_gone && key == key_at(parts->gone, g)) {
            g++;
            continue;
        }
        for (size_t c = 0; out && c < old->columns; c++)
            memcpy(out[c] + 8 * n, from->column[c] + 8 * row, 8);
        n++;
    }
    parts->n = n;
    return g == parts->n_gone ? 0
           : wrong_table(keys, "a key is gone that was not there, or out of order", fault);
}

/* Finds the columns of the table whose first column is that number. */
static int find_parts(struct parts *parts, const struct record *record, size_t first,
                      size_t columns, const struct record *whole, struct fault *fault)
{
    const struct column *keys = &record->column[first], *gone = keys + columns;
    const size_t n = strlen(keys->name);
    *parts = (struct parts){ .first = first };
    if (first + columns >= record->columns || keys->type != COLUMN_U8 ||
        gone->type != COLUMN_U8 || strncmp(gone->name, keys->name, n) != 0 ||
        !name_is(gone->name + n, GONE) || !find_rows(record, keys, columns, &parts->now))
        return wrong_table(keys, "it has not its columns, and that of the keys that are gone",
                           fault);
    if (!find_rows(whole, keys, columns, &parts->old))
        return wrong_table(keys, "the whole model has other columns", fault);
    parts->gone = gone->data;
    parts->n_gone = (size_t)gone->count;
    return merge(parts, keys, NULL, fault);
}

/* Reads tables=, whose tables must stand in the order of the columns. */
static int find_tables(struct parts parts[PATCH_TABLES], size_t *tables,
                       const struct record *record, const struct record *whole,
                       struct fault *fault)
{
    const char *text = record_key(record, "tables");
    size_t from = 0, first = 0, columns = 0;
    for (*tables = 0; text && *text; ++*tables) {
        if (*tables == PATCH_TABLES)
            return fault_data(fault, "patch: more than %d tables", PATCH_TABLES);

        size_t n = strcspn(text, ":");
        uint64_t count = 0;
        const char *end = text[n] ? record_digits(text + n + 1, PATCH_COLUMNS, &count) : NULL;
        for (first = 0; first < record->columns; ++first) {
            const char *name = record->column[first].name;
            if (strncmp(name, text, n) == 0 && name[n] == '\0')
                break;
        }
        if (!end || (*end && *end != ',') || count == 0 || first == record->columns)
            return fault_data(fault, "patch: tables= has %.60s", text);
        columns = (size_t)count;
        text = *end ? end + 1 : end;

        if (first < from)
            return fault_data(fault, "patch: tables= has not the order of the columns");
        from = first + columns + 1;
        if (find_parts(&parts[*tables], record, first, columns, whole, fault) < 0) return -1;
    }
    return 0;
}

static void drop_key(struct record *record, const char *name)
{
    for (size_t k = 0; k < record->keys; k++)
        if (name_is(record->key[k].name, name)) {
            record->keys--;
            memmove(&record->key[k], &record->key[k + 1],
                    (record->keys - k) * sizeof *record->key);
        }
}

int patch_apply(struct record *record, const struct record *whole, struct buffer *payload,
                struct fault *fault)
{
    struct parts parts[PATCH_TABLES];
    size_t tables, bytes = 0;
    if (find_tables(parts, &tables, record, whole, fault) < 0) return -1;
    for (size_t c = 0; c < record->columns; c++) /* with rows that count again below */
        bytes += column_bytes(&record->column[c]);
    for (size_t t = 0; t < tables; t++)
        bytes += 8 * parts[t].now.columns * parts[t].n;
    unsigned char *at = buffer_for(payload, bytes + 1, 1, fault);
    if (!at) return -1;

    size_t kept = 0;
    for (size_t c = 0, t = 0; c < record->columns;) {
        bool is_table = t < tables && parts[t].first == c;
        size_t columns = is_table ? parts[t].now.columns : 1;
        unsigned char *out[PATCH_COLUMNS];
        for (size_t i = 0; i < columns; i++) {
            struct column *column = &record->column[kept + i];
            *column = record->column[c + i];
            if (is_table)
                column->count = parts[t].n;
            else
                memcpy(at, column->data, column_bytes(column));
            column->data = out[i] = at;
            at += column_bytes(column);
        }
        if (is_table && merge(&parts[t], &record->column[kept], out, fault) < 0) return -1;
        t += is_table;
        c += columns + is_table;
        kept += columns;
    }
    record->columns = kept;

    record->kind = RECORD_MODEL;
    record->bytes = 0;
    record_changes(record); /* the key was that of the patch */
    record_want_crc(record);
    drop_key(record, "since");
    drop_key(record, "tables");
    return 0;
}
