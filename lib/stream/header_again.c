#include "stream/header_again.h"

#include <string.h>

#include "stream/checksum.h"

static const char crc_word[] = " crc=", cols_word[] = " cols=", bytes_word[] = " bytes=";

/* ---- remembering ---- */

/* Names are where they are in the line: the text of a record is its line, cut. */
static size_t place(const struct record *record, const char *text)
{
    return (size_t)(text - record->text);
}

void header_remember(struct header_again *last, const struct record *record, const char *line)
{
    last->keys = 0;
    if (record->kind == RECORD_END || record->keys == 0 || record->keys > HEADER_AGAIN_WORDS ||
        record->columns > HEADER_AGAIN_WORDS || record->used > HEADER_AGAIN_LINE)
        return;
    memcpy(last->line, line, record->used - 1);
    last->kind = record->kind;
    last->crc = record->has_crc == CRC_KEPT;
    last->before = last->crc ? CHECKSUM_AT - (sizeof crc_word - 1)
                             : place(record, record->key[0].name) - 1;
    for (size_t k = 0; k < record->keys; k++) {
        const struct key *key = &record->key[k];
        size_t at = place(record, key->name) - 1, end = place(record, key->value);
        last->key[k] = (struct header_word){ .at = (unsigned short)at,
                                             .bytes = (unsigned short)(end - at),
                                             .known = key->known };
    }
    for (size_t c = 0; c < record->columns; c++) {
        const struct column *column = &record->column[c];
        size_t bytes = strlen(column->name) + strlen(column_type_name(column->type)) + 2;
        last->column[c] = (struct header_word){
            .at = (unsigned short)place(record, column->name), .bytes = (unsigned short)bytes,
            .known = column->known, .type = column->type
        };
    }
    last->keys = record->keys;
    last->columns = record->columns;
}

/* ---- the next line ---- */

/* Steps over n bytes, if they are these. At the end of the line a NUL differs from all. */
static bool step(char **at, const char *bytes, size_t n)
{
    bool same = memcmp(*at, bytes, n) == 0;
    *at += n;
    return same;
}

/* Steps over a whole number of so few digits that it is in range. */
static bool step_number(char **at, uint64_t *value)
{
    enum { DIGITS = 15 };
    char *from = *at;
    uint64_t n = 0;
    for (; **at >= '0' && **at <= '9'; ++*at)
        n = 10 * n + (uint64_t)(**at - '0');
    *value = n;
    return *at > from && *at - from <= DIGITS && (*from != '0' || *at == from + 1);
}

static bool read_crc(struct record *record, char **at)
{
    if (!step(at, crc_word, sizeof crc_word - 1) || !checksum_parse(*at, &record->crc))
        return false;
    record->has_crc = CRC_KEPT;
    *at += CHECKSUM_DIGITS;
    return true;
}

/* A NUL is written over the blank before a word only when that word is known to be there. */
static bool read_keys(const struct header_again *last, struct record *record, char **at)
{
    for (const struct header_word *word = last->key; word < last->key + last->keys; word++) {
        char *name = *at;
        if (!step(at, last->line + word->at, word->bytes))
            return false;
        name[0] = (*at)[-1] = '\0';
        char *value = *at;
        while (**at > ' ' && **at <= '~')
            ++*at;
        if (*at == value)
            return false;
        record->key[record->keys++] = (struct key){ name + 1, value, word->known };
    }
    return true;
}

static bool read_columns(const struct header_again *last, struct record *record, char **at)
{
    for (const struct header_word *word = last->column; word < last->column + last->columns;
         word++) {
        char *before = *at;
        bool first = word == last->column;
        size_t blank = first ? sizeof cols_word - 1 : 1;
        struct column *column = &record->column[record->columns++];
        *column = (struct column){ .name = before + blank, .type = word->type,
                                   .known = word->known };
        if (!step(at, first ? cols_word : ",", blank) ||
            !step(at, last->line + word->at, word->bytes) || !step_number(at, &column->count) ||
            !step(at, "]", 1))
            return false;
        before[0] = before[blank + word->bytes - 4] = '\0';
        record->bytes += column->count * column_width(word->type);
    }
    return true;
}

static bool read_bytes(struct record *record, char **at)
{
    uint64_t bytes;
    char *before = *at;
    if (!step(at, bytes_word, sizeof bytes_word - 1) || !step_number(at, &bytes))
        return false;
    before[0] = '\0';
    return bytes == record->bytes && *at == record->text + record->used - 1;
}

bool header_again(const struct header_again *last, struct record *record, const char *line,
                  size_t n)
{
    char *at = record->text;
    if (last->keys == 0 || n >= RECORD_LINE)
        return false;
    record_start(record, last->kind);
    memcpy(at, line, n);
    at[n] = '\0';
    record->used = n + 1;
    return step(&at, last->line, last->before) && (!last->crc || read_crc(record, &at)) &&
           read_keys(last, record, &at) && read_columns(last, record, &at) &&
           read_bytes(record, &at);
}
