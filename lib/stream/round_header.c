#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"
#include "math/order.h"
#include "stream/round.h"
#include "stream/round_format.h"

/* ---- the text of keys ---- */

/* Steps, whose names begin with a letter, between commas. Programs that only pass rounds on need
 * not know them. */
static int check_steps(const char *name, const char *text, struct fault *fault)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    const char *p = text;
    while (*p >= 'a' && *p <= 'z') {
        p += strspn(p, letters);
        if (*p == ':')
            p += strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789.:+-");
        if (*p == '\0')
            return 0;
        if (*p == ',')
            p++;
    }
    return fault_data(fault, "%s=%.60s is not a list of steps such as log,scale",
                      name, text);
}

/* ---- the fields of keys ---- */

static void *field(struct round *round, size_t offset)
{
    return (char *)round + offset;
}

static void set_given(struct round *round, const struct format *row, bool given)
{
    if (row->given)
        *(bool *)field(round, row->given) = given;
}

static void set_whole(struct round *round, const struct format *row, uint64_t value)
{
    if (row->type == FORMAT_SIZE)
        *(size_t *)field(round, row->value) = (size_t)value;
    else
        *(uint64_t *)field(round, row->value) = value;
}

static void clear(struct round *round, const struct format *row)
{
    set_given(round, row, false);
    if (row->type >= FORMAT_TEXT)
        *(const char **)field(round, row->value) = NULL;
    else if (row->type == FORMAT_NUMBER)
        *(double *)field(round, row->value) = 0;
    else
        set_whole(round, row, 0);
}

void round_keys_clear(struct round *round)
{
    for (size_t k = 0; k < ROUND_KEYS; k++)
        clear(round, &format_keys[k]);
}

/* ---- reading keys ---- */

static int read_whole(struct round *round, const struct format *row, const char *text,
                      struct fault *fault)
{
    uint64_t value, least = (uint64_t)row->least;
    uint64_t most = row->most == FORMAT_DOCS ? round->docs - 1 : (uint64_t)row->most;
    if (!record_number(text, most, &value) || value < least)
        return fault_data(fault, "%s=%.40s is not a whole number from %" PRIu64 " to %" PRIu64,
                          row->name, text, least, most);
    if (row->type == FORMAT_SIZE && value > SIZE_MAX / 8)
        return fault_data(fault, "%s=%" PRIu64 " is too large for this machine", row->name, value);
    set_whole(round, row, value);
    return 0;
}

static int read_number(struct round *round, const struct format *row, const char *text,
                       struct fault *fault)
{
    char *end;
    struct round_gamma *parsed = &round->parsed;
    double *value = field(round, row->value);
    if (strcmp(text, parsed->text) == 0) {
        *value = parsed->value;
        return 0;
    }
    *value = strtod(text, &end);
    if (strspn(text, "0123456789.e-+") != strlen(text) || *end || !(*value >= row->least) ||
        !(*value <= row->most))
        return fault_data(fault, "%s=%.40s is not a number from %g to %g", row->name, text,
                          row->least, row->most);
    if (strlen(text) < sizeof parsed->text) {
        strcpy(parsed->text, text);
        parsed->value = *value;
    }
    return 0;
}

/* A key's value, or that it is missing (NULL). */
static int read_key(struct round *round, const struct format *row, const char *text,
                    struct fault *fault)
{
    if (!text && row->required)
        return fault_data(fault, "key %s= is missing", row->name);
    if (!text) {
        clear(round, row);
        return 0;
    }
    set_given(round, row, true);
    if (row->type >= FORMAT_TEXT) {
        size_t n = strlen(text), most = (size_t)row->most;
        *(const char **)field(round, row->value) = text;
        if (row->type == FORMAT_HEX) {
            size_t digits = (size_t)row->most;
            if (strlen(text) == digits && strspn(text, "0123456789abcdef") == digits)
                return 0;
            return fault_data(fault, "%s=%.40s is not %zu hexadecimal digits", row->name, text,
                              digits);
        }
        if (n > most)
            return fault_data(fault, "%s= has %zu bytes: at most %zu are allowed", row->name, n,
                              most);
        if (row->type == FORMAT_ENCODED) {
            for (const char *p = text; (p = strchr(p, '%')); p += 3)
                if (strspn(p + 1, "0123456789ABCDEF") < 2)
                    return fault_data(fault, "%s=%.40s: two hexadecimal digits (0-9, A-F) must "
                                      "follow %%", row->name, text);
            return 0;
        }
        return row->type == FORMAT_STEPS ? check_steps(row->name, text, fault) : 0;
    }
    return (row->type == FORMAT_NUMBER ? read_number : read_whole)(round, row, text, fault);
}

/* The first row from `rank` on that has that name; ROUND_KEYS where none has. */
static inline size_t key_rank(const char *name, size_t rank)
{
    while (rank < ROUND_KEYS && !name_is(name, format_keys[rank].name))
        rank++;
    return rank;
}

/* A key that none of the rows from the last key's on has. */
static int wrong_key(const char *name, struct fault *fault)
{
    struct names order = { 0 };
    if (key_rank(name, 0) == ROUND_KEYS)
        return fault_data(fault, "unknown key %.40s=: give a key of your own a name that begins "
                          "with x-", name);
    for (size_t k = 0; k < ROUND_KEYS; k++)
        names_add(&order, "%s", format_keys[k].name);
    return fault_data(fault, "key %s= is out of order: the order is %s", name, order.text);
}

/* The row of a key, which remembers it; ROUND_KEYS where none has its name. */
static inline size_t key_of(struct key *key)
{
    if (!key->known)
        key->known = (unsigned char)(key_rank(key->name, 0) + 1);
    return key->known - 1u;
}

/* ---- setting keys ---- */

/* Sets a key of a record, in its place in the order of the rows. */
static int set_value(struct record *record, enum round_key key, const char *value, size_t bytes,
                     struct fault *fault)
{
    size_t place = 0;
    for (size_t k = 0; k < record->keys; k++) {
        size_t rank = key_of(&record->key[k]);
        if (rank == key)
            return record_set_value(record, k, value, bytes, fault);
        if (rank < key)
            place = k + 1;
    }
    if (record_set(record, place, format_keys[key].name, value, fault) < 0) return -1;
    record->key[place].known = (unsigned char)(key + 1);
    return 0;
}

int round_set(struct round *round, enum round_key key, uint64_t value, struct fault *fault)
{
    char digits[TEXT_DIGITS];
    const char *text = text_from_number(digits, value);
    set_given(round, &format_keys[key], true);
    set_whole(round, &format_keys[key], value);
    return set_value(round->record, key, text, (size_t)(digits + TEXT_DIGITS - 1 - text), fault);
}

int round_set_text(struct round *round, enum round_key key, const char *text, struct fault *fault)
{
    const struct format *row = &format_keys[key];
    if (set_value(round->record, key, text, strlen(text), fault) < 0) return -1;
    *(const char **)field(round, row->value) = record_key(round->record, row->name);
    return 0;
}

int round_set_gamma(struct round *round, double gamma, struct fault *fault)
{
    struct round_gamma *printed = &round->printed;
    if (!*printed->text || gamma != printed->value) {
        snprintf(printed->text, sizeof printed->text, "%.17g", gamma);
        printed->value = gamma;
    }
    round->explored = true;
    round->gamma = gamma;
    return set_value(round->record, KEY_GAMMA, printed->text, strlen(printed->text), fault);
}

/* Removes the keys of which the numbers are set as bits. */
static void drop_keys(struct round *round, unsigned gone)
{
    struct record *record = round->record;
    size_t left = 0;
    for (size_t k = 0; k < record->keys; k++) {
        size_t rank = key_of(&record->key[k]);
        if (rank < ROUND_KEYS && (gone >> rank & 1))
            clear(round, &format_keys[rank]);
        else if (left++ < k)
            record->key[left - 1] = record->key[k];
    }
    if (left < record->keys)
        record_changes(record);
    record->keys = left;
}

void round_drop_key(struct round *round, enum round_key key)
{
    drop_keys(round, 1u << key);
}

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

static int check_values(struct round *round, const struct format *row, size_t n,
                        const void *values, struct fault *fault)
{
    if (row->least == row->most)
        return 0;
    if (row->most == FORMAT_DOCS) {
        uint32_t *scratch = buffer_for(&round->scratch, round->docs, sizeof *scratch, fault);
        if (!scratch) return -1;
        if (!order_is_permutation(round->docs, values, scratch))
            return fault_data(fault, "column %s is not a permutation of 0 to %zu", row->name,
                              round->docs - 1);
        return 0;
    }
    if (row->type == COLUMN_F4)
        return check_floats(row, n, values, fault);
    return row->type == COLUMN_F8 ? check_doubles(row, n, values, fault)
                                  : check_bytes(row, n, values, fault);
}

/* ---- numbers of columns ---- */

/* Looks at row `from` first and goes round, for most columns come in the order of the rows. */
static enum round_column find_column(const char *name, unsigned from)
{
    for (unsigned i = 0, c = from; i < ROUND_COLUMNS; i++, c++) {
        c -= c >= ROUND_COLUMNS ? ROUND_COLUMNS : 0;
        if (name_is(name, format_columns[c].name))
            return (enum round_column)c;
    }
    return ROUND_COLUMNS;
}

enum round_column round_column_find(const char *name)
{
    return find_column(name, 0);
}

void round_columns_find(struct record *record, const struct column *known[ROUND_COLUMNS + 1])
{
    for (size_t c = 0; c <= ROUND_COLUMNS; c++)
        known[c] = NULL;
    unsigned next = 0;
    for (size_t c = 0; c < record->columns; c++) {
        struct column *column = &record->column[c];
        if (!column->known)
            column->known = (unsigned char)(find_column(column->name, next) + 1);
        next = column->known;
        known[next - 1] = column;
    }
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
        if (known[c] && check_size(round, known, c, fault) < 0) return -1;
    return 0;
}

int round_header(struct round *round, struct fault *fault)
{
    struct format_sets sets = { 0 };
    const char *text[ROUND_KEYS]; /* the value of row k's key, or NULL */
    size_t next = 0;
    round_columns_clear(round);
    for (size_t k = 0; k < ROUND_KEYS; k++)
        text[k] = NULL;
    for (size_t k = 0; k < round->record->keys; k++) {
        struct key *key = &round->record->key[k];
        size_t rank = key_rank(key->name, next);
        key->known = (unsigned char)(rank + 1);
        if (rank == ROUND_KEYS && name_begins(key->name, "x-"))
            continue;
        if (rank == ROUND_KEYS)
            return wrong_key(key->name, fault);
        text[rank] = key->value;
        next = rank + 1;
    }

    for (size_t k = 0; k < ROUND_KEYS; k++) {
        if (read_key(round, &format_keys[k], text[k], fault) < 0) return -1;
        if (text[k])
            format_found(&sets, FORMAT_KEY(k), &format_keys[k]);
    }

    uint64_t docs = round->docs, bytes = round->record->bytes;
    if (docs > ROUND_BARE && docs > bytes)
        return fault_data(fault, "docs=%" PRIu64 ", but the payload has only %" PRIu64 " bytes",
                          docs, bytes);

    const struct column *const *column = round->column;
    round_columns_find(round->record, round->column);
    for (size_t c = 0; c < ROUND_COLUMNS; c++) {
        if (column[c] && check_size(round, column, c, fault) < 0) return -1;
        if (column[c])
            format_found(&sets, FORMAT_COLUMN(c), &format_columns[c]);
    }
    return format_check_together(&sets, fault);
}

/* ---- copies ---- */

/* Sets the round's pointer to a column. All pointers to objects look alike in POSIX. */
static inline void set_pointer(struct round *round, size_t c, void *data)
{
    memcpy((char *)round + format_columns[c].value, &data, sizeof data);
}

int round_columns_read(struct round *round, struct fault *fault)
{
    for (size_t c = 0; c < ROUND_X; c++)
        if (round->column[c] && format_columns[c].value) {
            const struct column *column = round->column[c];
            void *copy = buffer_for(&round->buffer[c], (size_t)column->count,
                                    column_width(column->type), fault);
            if (!copy) return -1;
            memcpy(copy, column->data, column_bytes(column));
            set_pointer(round, c, copy);
            if (check_values(round, &format_columns[c], (size_t)column->count, copy, fault) < 0)
                return -1;
        }
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
static int put_column(struct record *record, const struct column *new, struct fault *fault)
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
    if (data && put_column(round->record, &new, fault) < 0)
        data = NULL;
    set_pointer(round, column, data);
    return data;
}

/* Removes columns of which the numbers are set as bits, and all of a family of names, if not NULL,
 * that are not known. */
static void drop_columns(struct round *round, unsigned gone, const char *family)
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
    drop_columns(round, 1u << column, NULL);
}

void round_drop_labels(struct round *round)
{
    drop_columns(round, 1u << ROUND_LABEL, "label-");
}

void round_forget_choice(struct round *round)
{
    unsigned keys = 0, columns = 0;
    for (size_t k = 0; k < ROUND_KEYS; k++)
        keys |= (unsigned)format_keys[k].choice << k;
    for (size_t c = 0; c < ROUND_X; c++)
        columns |= (unsigned)format_columns[c].choice << c;
    drop_keys(round, keys);
    drop_columns(round, columns, NULL);
}
