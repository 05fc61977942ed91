#include "draft.h"

#include <stdio.h>
#include <string.h>

size_t type_width(const char *type)
{
    return (size_t)(type[1] - '0');
}

struct draft *stream_insert(struct stream *stream, size_t at, const struct draft *record)
{
    if (stream->n == stream->room) {
        struct draft *more = memory_take((2 * stream->room + 8) * sizeof *more);
        if (stream->n)
            memcpy(more, stream->record, stream->n * sizeof *more);
        stream->record = more;
        stream->room = 2 * stream->room + 8;
    }
    memmove(stream->record + at + 1, stream->record + at,
            (stream->n - at) * sizeof *stream->record);
    stream->n++;
    stream->record[at] = *record;
    return &stream->record[at];
}

struct draft *stream_add(struct stream *stream, const char *kind)
{
    static struct draft empty;
    empty.kind = kind;
    return stream_insert(stream, stream->n, &empty);
}

void stream_remove(struct stream *stream, size_t at)
{
    stream->n--;
    memmove(stream->record + at, stream->record + at + 1,
            (stream->n - at) * sizeof *stream->record);
}

void stream_end(struct stream *stream)
{
    size_t n = 0;
    for (size_t i = stream->n; i-- > 0 && strcmp(stream->record[i].kind, "end") != 0;)
        n++;
    draft_key(stream_add(stream, "end"), "rounds", memory_text("%zu", n));
}

void draft_key(struct draft *record, const char *name, const char *value)
{
    if (record->keys < KEYS_MOST)
        record->key[record->keys++] = (struct word){ name, value };
}

const char *draft_value(const struct draft *record, const char *name)
{
    for (size_t i = 0; i < record->keys; i++)
        if (strcmp(record->key[i].name, name) == 0)
            return record->key[i].value;
    return NULL;
}

struct array *draft_column(struct draft *record, const char *name)
{
    for (size_t i = 0; i < record->columns; i++)
        if (strcmp(record->column[i].name, name) == 0)
            return &record->column[i];
    return NULL;
}

/* Where the features begin. */
static size_t first_feature(const struct draft *record)
{
    size_t i = 0;
    while (i < record->columns && strcmp(record->column[i].name, "x") != 0 &&
           strcmp(record->column[i].name, "ptr") != 0 &&
           strcmp(record->column[i].name, "offset") != 0)
        i++;
    return i;
}

struct array *draft_add(struct draft *record, const char *name, const char *type, size_t n,
                          bool early)
{
    static struct array nowhere;
    struct array *column = &nowhere;
    if (record->columns < COLUMNS_MOST) {
        size_t at = early ? first_feature(record) : record->columns;
        column = &record->column[at];
        memmove(column + 1, column, (record->columns - at) * sizeof *column);
        record->columns++;
    }
    size_t size = n * type_width(type);
    *column = (struct array){ name, type, n, { memory_take(size), size } };
    return column;
}

double array_get(const struct array *column, size_t i)
{
    size_t width = type_width(column->type);
    float f4;
    double f8;
    uint64_t whole = 0;
    const unsigned char *from = column->data.data + i * width;
    if (column->type[0] == 'f' && width == 4)
        return memcpy(&f4, from, 4), f4;
    if (column->type[0] == 'f')
        return memcpy(&f8, from, 8), f8;
    memcpy(&whole, from, width);
    return (double)whole;
}

void array_put(struct array *column, size_t i, double value)
{
    size_t width = type_width(column->type);
    unsigned char *to = column->data.data + i * width;
    bool fits = value >= 0 && value < 18446744073709551616.0;
    uint64_t whole = fits ? (uint64_t)value : UINT64_MAX;
    float f4 = value > 3.4e38 || value < -3.4e38 ? (value > 0 ? 1e38f * 10 : -1e38f * 10)
                                                 : (float)value;
    if (column->type[0] == 'u')
        memcpy(to, &whole, width); /* its lowest bytes: the machine is little-endian */
    else if (width == 4)
        memcpy(to, &f4, 4);
    else
        memcpy(to, &value, 8);
}

uint32_t crc_by_bits(uint32_t crc, const void *bytes, size_t n)
{
    const unsigned char *byte = bytes;
    crc = ~crc;
    for (size_t i = 0; i < n; i++) {
        crc ^= byte[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

static size_t payload_size(const struct draft *record)
{
    size_t n = 0;
    for (size_t i = 0; i < record->columns; i++)
        n += record->column[i].data.n;
    return n;
}

/* The header line, with its LF; a crc as zeros. */
static char *header_line(const struct draft *record)
{
    const char *space = record->space ? record->space : " ";
    char *line = memory_text("rankpipe/1 %s", record->kind);
    for (size_t i = 0; i < record->keys; i++)
        line = memory_text("%s%s%s=%s", line, space, record->key[i].name,
                           strcmp(record->key[i].name, "crc") == 0 ? "00000000"
                                                                   : record->key[i].value);
    for (size_t i = 0; i < record->columns; i++)
        line = memory_text("%s%s%s:%s[%zu]", line, i ? "," : " cols=", record->column[i].name,
                           record->column[i].type, record->column[i].n);
    return record->bytes ? memory_text("%s bytes=%s\n", line, record->bytes)
                         : memory_text("%s bytes=%zu\n", line, payload_size(record));
}

/* Copies the payload, and puts the crc in its place, if the line has that key. */
static void complete(const struct draft *record, char *line, size_t n)
{
    char digits[9];
    unsigned char *to = (unsigned char *)line + n;
    for (size_t i = 0; i < record->columns; i++) {
        memcpy(to, record->column[i].data.data, record->column[i].data.n);
        to += record->column[i].data.n;
    }
    char *crc = strstr(line, " crc=00000000");
    if (!crc || (size_t)(crc - line) > n)
        return;
    snprintf(digits, sizeof digits, "%08x",
             crc_by_bits(0, line, (size_t)(to - (unsigned char *)line)));
    memcpy(crc + 5, digits, 8);
}

struct bytes stream_bytes(const struct stream *stream)
{
    char **line = memory_take((stream->n + 1) * sizeof *line);
    struct bytes all = { NULL, 0 };
    for (size_t i = 0; i < stream->n; i++) {
        line[i] = header_line(&stream->record[i]);
        all.n += strlen(line[i]) + payload_size(&stream->record[i]);
    }
    all.data = memory_take(all.n + 1);
    unsigned char *to = all.data;
    for (size_t i = 0; i < stream->n; i++) {
        size_t n = strlen(line[i]), payload = payload_size(&stream->record[i]);
        memcpy(to, line[i], n);
        complete(&stream->record[i], (char *)to, n);
        to += n + payload;
    }
    return all;
}
