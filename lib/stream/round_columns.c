#include "stream/round_columns.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "math/order.h"

/* ---- what must hold of the values of a column ---- */

/* A value that is not between the bounds of its column. */
static int out_of_bounds(const struct format *row, size_t i, double value, struct fault *fault)
{
    char bounds[64] = "a finite number";
    if (row->most < FLT_MAX)
        snprintf(bounds, sizeof bounds, "a number from %g to %g", row->least, row->most);
    else if (row->least > -FLT_MAX)
        snprintf(bounds, sizeof bounds, "a finite number of at least %g", row->least);
    return fault_data(fault, "column %s: value %zu is %g: it must be %s", row->name, i, value,
                      bounds);
}

static int check_floats(const struct format *row, size_t n, const float *value,
                        struct fault *fault)
{
    float least = (float)row->least, most = (float)row->most;
    unsigned bad = 0;
    for (size_t i = 0; i < n; i++)
        bad |= !(value[i] >= least) | !(value[i] <= most);
    for (size_t i = 0; bad && i < n; i++)
        if (!(value[i] >= least) || !(value[i] <= most))
            return out_of_bounds(row, i, (double)value[i], fault);
    return 0;
}

static int check_doubles(const struct format *row, size_t n, const double *value,
                         struct fault *fault)
{
    double least = row->least, most = row->most;
    unsigned bad = 0;
    for (size_t i = 0; i < n; i++)
        bad |= !(value[i] >= least) | !(value[i] <= most);
    for (size_t i = 0; bad && i < n; i++)
        if (!(value[i] >= least) || !(value[i] <= most))
            return out_of_bounds(row, i, value[i], fault);
    return 0;
}

static int check_bytes(const struct format *row, size_t n, const unsigned char *value,
                       struct fault *fault)
{
    for (size_t i = 0; i < n; i++)
        if (value[i] < row->least || value[i] > row->most)
            return out_of_bounds(row, i, value[i], fault);
    return 0;
}

static int check_permutation(struct round *round, const struct format *row, const void *values,
                             struct fault *fault)
{
    uint32_t *scratch = buffer_for(&round->scratch, round->docs, sizeof *scratch, fault);
    if (!scratch)
        return -1;
    if (!order_is_permutation(round->docs, values, scratch))
        return fault_data(fault, "column %s is not a permutation of 0 to %zu", row->name,
                          round->docs - 1);
    return 0;
}

static int check_values(struct round *round, const struct format *row, size_t n,
                        const void *values, struct fault *fault)
{
    if (row->least == row->most)
        return 0;
    if (row->most == FORMAT_DOCS)
        return check_permutation(round, row, values, fault);
    if (row->type == COLUMN_F4)
        return check_floats(row, n, values, fault);
    return row->type == COLUMN_F8 ? check_doubles(row, n, values, fault)
                                  : check_bytes(row, n, values, fault);
}

/* ---- numbers of columns ---- */

enum round_column round_column_find(const char *name)
{
    unsigned c = 0;
    while (c < ROUND_COLUMNS && !name_is(name, format_columns[c].name))
        c++;
    return (enum round_column)c;
}

const char *round_column_name(enum round_column column)
{
    return format_columns[column].name;
}

void round_columns_find(struct record *record, const struct column *known[ROUND_COLUMNS + 1])
{
    for (size_t c = 0; c <= ROUND_COLUMNS; c++)
        known[c] = NULL;
    for (size_t c = 0; c < record->columns; c++)
        known[round_column_of(&record->column[c])] = &record->column[c];
}

/* ---- types and lengths ---- */

/* How many values known column c must have. docs times dim is below 2^63. */
static uint64_t right_count(const struct round *round, const struct column *const *known, size_t c)
{
    const struct column *like = known[c];
    switch (format_columns[c].length) {
    case LENGTH_DOCS:
        return round->docs;
    case LENGTH_CELLS:
        return (uint64_t)round->docs * round->dim;
    case LENGTH_STARTS:
        return (uint64_t)round->docs + 1;
    case LENGTH_DIM:
        return round->dim;
    case LENGTH_PLACES:
        like = known[ROUND_SEEN] ? known[ROUND_SEEN] : like;
        break;
    case LENGTH_ENTRIES:
        like = known[ROUND_VAL] ? known[ROUND_VAL] : like;
        break;
    default:
        break;
    }
    return like->count;
}

static int check_size(const struct round *round, const struct column *const *known, size_t c,
                      struct fault *fault)
{
    const struct column *column = known[c];
    enum column_type type = (enum column_type)format_columns[c].type;
    uint64_t count = right_count(round, known, c);
    bool two = c == ROUND_NUMBER && column->type == COLUMN_U2;
    if (column->type != type && !two)
        return fault_data(fault, "column %s has type %s, not %s%s", column->name,
                          column_type_name(column->type), column_type_name(type),
                          c == ROUND_NUMBER ? " or u2" : "");
    if (column->count != count)
        return fault_data(fault, "column %s has %" PRIu64 " values, not %" PRIu64, column->name,
                          column->count, count);
    if (format_columns[c].length == LENGTH_PLACES && count > round->docs)
        return fault_data(fault, "column %s has %" PRIu64 " places, but the round has %zu "
                          "documents", column->name, count, round->docs);
    return 0;
}

int round_columns_check_features(const struct round *round, const struct column *const *known,
                                 struct fault *fault)
{
    for (size_t c = ROUND_X; c < ROUND_COLUMNS; c++)
        if (known[c] && check_size(round, known, c, fault) < 0)
            return -1;
    return 0;
}

int round_columns_check(struct round *round, uint64_t has, struct fault *fault)
{
    const struct column *const *column = round->column;
    round_columns_find(round->record, round->column);
    for (size_t c = 0; c < ROUND_COLUMNS; c++) {
        if (column[c] && check_size(round, column, c, fault) < 0)
            return -1;
        if (column[c])
            has |= FORMAT_COLUMN(c);
    }
    return format_check_together(has, fault);
}

/* ---- copies ---- */

/* Sets the round's pointer to a column. All pointers to objects look alike in POSIX. */
static inline void set_pointer(struct round *round, size_t c, void *data)
{
    memcpy((char *)round + format_columns[c].value, &data, sizeof data);
}

static int read_column(struct round *round, size_t c, struct fault *fault)
{
    const struct column *column = round->column[c];
    void *copy = buffer_for(&round->buffer[c], (size_t)column->count, column_width(column->type),
                            fault);
    if (!copy)
        return -1;
    memcpy(copy, column->data, column_bytes(column));
    set_pointer(round, c, copy);
    return check_values(round, &format_columns[c], (size_t)column->count, copy, fault);
}

int round_columns_read(struct round *round, struct fault *fault)
{
    for (size_t c = 0; c < ROUND_X; c++)
        if (round->column[c] && format_columns[c].value && read_column(round, c, fault) < 0)
            return -1;
    round->places = round->column[ROUND_SEEN] ? (size_t)round->column[ROUND_SEEN]->count : 0;
    return 0;
}

void round_columns_clear(struct round *round)
{
    for (size_t c = 0; c < ROUND_X; c++)
        if (format_columns[c].value)
            set_pointer(round, c, NULL);
    round->places = 0;
    round->live = round->checked = round->restored = false;
    round->prepared = NULL;
    round->expansion->done = false;
}

/* ---- new columns ---- */

/* Sets a column where the record has it, else before the first of the features; a fingerprint
 * before all others, so that it makes no difference which program wrote it. */
static int put(struct record *record, const struct column *new, struct fault *fault)
{
    size_t c = 0, before = new->known == ROUND_FINGERPRINT + 1u ? 0 : record->columns;
    record_changes(record);
    for (; c < record->columns; c++) {
        enum round_column number = round_column_of(&record->column[c]);
        if (number + 1u == new->known)
            break;
        if (before == record->columns && round_column_is_feature(number))
            before = c;
    }
    if (c < record->columns) {
        record->column[c] = *new;
        return 0;
    }
    if (record->columns == RECORD_COLUMNS)
        return fault_data(fault, "the header line has no room for a column %s", new->name);
    for (c = record->columns++; c > before; c--)
        record->column[c] = record->column[c - 1];
    record->column[before] = *new;
    return 0;
}

void *round_new(struct round *round, enum round_column column, struct fault *fault)
{
    const struct format *row = &format_columns[column];
    enum column_type type = (enum column_type)row->type;
    size_t count = row->length == LENGTH_PLACES ? round->places : round->docs;
    void *data = buffer_for(&round->buffer[column], count, column_width(type), fault);
    const struct column new = { .name = row->name, .type = type, .count = count, .data = data,
                                .known = (unsigned char)(column + 1) };
    if (data && put(round->record, &new, fault) < 0)
        data = NULL;
    set_pointer(round, column, data);
    return data;
}

/* Removes columns of which the numbers are set as bits, and all of a family of names, if not NULL,
 * that are not known. */
static void drop(struct round *round, unsigned gone, const char *family)
{
    struct record *record = round->record;
    size_t left = 0;
    for (size_t c = 0; c < record->columns; c++) {
        unsigned number = round_column_of(&record->column[c]);
        bool kin = family && number == ROUND_COLUMNS &&
                   name_begins(record->column[c].name, family);
        if (!(gone >> number & 1) && !kin && left++ < c)
            record->column[left - 1] = record->column[c];
    }
    if (left < record->columns)
        record_changes(record);
    record->columns = left;
    for (size_t c = 0; c < ROUND_COLUMNS; c++)
        if ((gone >> c & 1) && format_columns[c].value)
            set_pointer(round, c, NULL);
}

void round_drop(struct round *round, enum round_column column)
{
    drop(round, 1u << column, NULL);
}

void round_drop_labels(struct round *round)
{
    drop(round, 1u << ROUND_LABEL, "label-");
}

void round_columns_forget_choice(struct round *round)
{
    unsigned gone = 0;
    for (size_t c = 0; c < ROUND_X; c++)
        gone |= (unsigned)format_columns[c].choice << c;
    drop(round, gone, NULL);
}
