#include "stream/record.h"

#include <string.h>

#include "base/text.h"
#include "base/unaligned.h"

static const struct {
    char name[3];
    unsigned char width;
} types[COLUMN_TYPES] = {
    [COLUMN_U1] = { "u1", 1 },
    [COLUMN_U2] = { "u2", 2 },
    [COLUMN_U4] = { "u4", 4 },
    [COLUMN_U8] = { "u8", 8 },
    [COLUMN_F4] = { "f4", 4 },
    [COLUMN_F8] = { "f8", 8 },
};

const char *column_type_name(enum column_type type)
{
    return types[type].name;
}

bool column_type_find(const char *text, enum column_type *type)
{
    for (unsigned k = 0; k < COLUMN_TYPES; k++) {
        if (text[0] == types[k].name[0] && text[1] == types[k].name[1]) {
            *type = (enum column_type)k;
            return true;
        }
    }
    return false;
}

size_t column_width(enum column_type type)
{
    return types[type].width;
}

size_t column_bytes(const struct column *column)
{
    return (size_t)column->count * types[column->type].width;
}

size_t column_piece(const struct column *column, uint64_t from, void *piece, size_t bytes)
{
    const size_t width = column_width(column->type), most = bytes / width;
    uint64_t left = column->count - from;
    size_t n = left < most ? (size_t)left : most;
    if (n && column->source)
        column->source->next(column->source, piece, n);
    else if (n)
        memcpy(piece, (const unsigned char *)column->data + from * width, n * width);
    little_numbers(piece, n, width);
    return n;
}

void record_start(struct record *record, enum record_kind kind)
{
    record->kind = kind;
    record->has_crc = CRC_NONE;
    record->rounds = record->bytes = 0;
    record->spliced = NULL;
    record->keys = record->columns = record->used = 0;
}

const char *record_digits(const char *text, uint64_t most, uint64_t *value)
{
    uint64_t n = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && n <= most; at++)
        n = 10 * n + (uint64_t)(*at - '0');
    *value = n;
    return at == text || n > most || (*text == '0' && at > text + 1) ? NULL : at;
}

bool record_number(const char *text, uint64_t most, uint64_t *value)
{
    uint64_t n;
    const char *end = record_digits(text, most, &n);
    if (!end || *end)
        return false;
    *value = n;
    return true;
}

void record_bind(struct record *record, const void *payload, size_t bytes)
{
    const unsigned char *at = payload;
    for (size_t c = 0; c < record->columns; c++) {
        size_t n = column_bytes(&record->column[c]);
        bool there = n <= bytes;
        record->column[c].data = there ? at : NULL;
        bytes -= there ? n : bytes;
        at += there ? n : 0;
    }
}

const char *record_key(const struct record *record, const char *name)
{
    for (size_t k = 0; k < record->keys; k++)
        if (name_is(record->key[k].name, name))
            return record->key[k].value;
    return NULL;
}

/* A copy of a value in the record's text; NULL with a fault where there is no room for the key. */
static const char *copy_value(struct record *record, const char *name, const char *value,
                              size_t bytes, struct fault *fault)
{
    char *copy = record->text + record->used;
    if (bytes >= sizeof record->text - record->used || record->keys == RECORD_KEYS) {
        (void)fault_data(fault, "the header line has no room for %s=", name);
        return NULL;
    }
    memcpy(copy, value, bytes);
    copy[bytes] = '\0';
    record->used += bytes + 1;
    return copy;
}

int record_set_value(struct record *record, size_t k, const char *value, size_t bytes,
                     struct fault *fault)
{
    const char *copy = copy_value(record, record->key[k].name, value, bytes, fault);
    record_changes(record);
    if (copy)
        record->key[k].value = copy;
    return copy ? 0 : -1;
}

int record_set(struct record *record, size_t at, const char *name, const char *value,
               struct fault *fault)
{
    for (size_t k = 0; k < record->keys; k++)
        if (name_is(record->key[k].name, name))
            return record_set_value(record, k, value, strlen(value), fault);
    const char *copy = copy_value(record, name, value, strlen(value), fault);
    if (!copy) return -1;
    record_changes(record);
    memmove(&record->key[at + 1], &record->key[at], (record->keys - at) * sizeof *record->key);
    record->key[at] = (struct key){ .name = name, .value = copy };
    record->keys++;
    return 0;
}

int record_set_number(struct record *record, size_t at, const char *name, uint64_t value,
                      struct fault *fault)
{
    char digits[TEXT_DIGITS];
    return record_set(record, at, name, text_from_number(digits, value), fault);
}

const struct column *record_column(const struct record *record, const char *name)
{
    for (size_t c = 0; c < record->columns; c++)
        if (name_is(record->column[c].name, name))
            return &record->column[c];
    return NULL;
}

int record_put(struct record *record, const char *name, enum column_type type, uint64_t count,
               const void *data, struct fault *fault)
{
    struct column new = { .name = name, .type = type, .count = count, .data = data };
    record_changes(record);
    for (size_t c = 0; c < record->columns; c++) {
        if (name_is(record->column[c].name, name)) {
            record->column[c] = new;
            return 0;
        }
    }
    if (record->columns == RECORD_COLUMNS)
        return fault_data(fault, "the header line has no room for a column %s", name);
    record->column[record->columns++] = new;
    return 0;
}

int record_put_source(struct record *record, const char *name, enum column_type type,
                      uint64_t count, struct column_source *source, struct fault *fault)
{
    size_t at = record->columns;
    if (record_put(record, name, type, count, NULL, fault) < 0) return -1;
    record->column[at].source = source;
    return 0;
}
