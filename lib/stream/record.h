/* record: one record of a stream, its header line taken apart and checked: rounds and models
 * both are one. rankpipe(5) is the grammar; what keys and columns mean is for round and model. */
#ifndef RANKPIPE_RECORD_H
#define RANKPIPE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

enum {
    RECORD_LINE = 4096,                 /* bytes of a header line, LF included */
    RECORD_KEYS = RECORD_LINE / 4,      /* as many as a line can hold, and more */
    RECORD_COLUMNS = RECORD_LINE / 8
};
#define RECORD_MOST ((uint64_t)1 << 53) /* every number in a header is at most this */

enum record_kind { RECORD_ROUND, RECORD_MODEL, RECORD_END };

enum column_type { COLUMN_U1, COLUMN_U4, COLUMN_F4, COLUMN_F8 };

struct splice;

struct key {
    const char *name, *value;
};

struct column {
    const char *name;
    enum column_type type;
    uint64_t count;  /* elements                                          */
    const void *data; /* little-endian, perhaps unaligned; somebody else's; NULL: not in memory */
};

struct record {
    enum record_kind kind;
    uint64_t rounds; /* an end record's count                                 */
    uint64_t bytes;  /* of the payload, as read                               */
    struct splice *spliced; /* where the last columns lie, in memory or not; NULL: all are there */
    bool mapped;     /* the columns lie in a file's pages, which nobody here writes   */
    size_t keys, columns;
    struct key key[RECORD_KEYS];
    struct column column[RECORD_COLUMNS];
    size_t used; /* of text, which holds the names and values                 */
    char text[4 * RECORD_LINE];
};

/* Is it that name; does it begin so? Names are short, and there are many to look up in a round:
 * a call of strcmp would cost more than what it compares. */
static inline bool name_is(const char *text, const char *name)
{
    while (*text == *name && *name)
        text++, name++;
    return *text == *name;
}

static inline bool name_begins(const char *text, const char *start)
{
    while (*text == *start && *start)
        text++, start++;
    return *start == '\0';
}

/* Empties `record`, for one that is to be put together. */
void record_start(struct record *record, enum record_kind kind);

/* Takes apart a header line of n bytes without its LF: kind, keys, columns (without data) and
 * bytes, which is checked against the columns. Returns 0 or a fault that says what is wrong. */
int record_parse(struct record *record, const char *line, size_t n, struct fault *fault);

/* The header of a parsed record as a block of memory, the caller's to free; NULL with a fault where
 * there is none. record_take makes a record of it, as often as wanted, without parsing: its columns
 * are unbound, and the block must outlive it. */
struct header;
struct header *record_keep(const struct record *record, struct fault *fault);
void record_take(struct record *record, const struct header *header);

/* Points the columns at their places in the payload, which stays the caller's; those that lie in
 * its first `bytes` bytes, no others. */
void record_bind(struct record *record, const void *payload, size_t bytes);

/* A key's value, or NULL. */
const char *record_key(const struct record *record, const char *name);

/* Sets a key: in its place where it is there, else at position `at`. `name` must outlive the
 * record; the value is copied. 0, or a fault where the line has no room. */
int record_set(struct record *record, size_t at, const char *name, const char *value,
               struct fault *fault);
int record_set_number(struct record *record, size_t at, const char *name, uint64_t value,
                      struct fault *fault);

void record_unset(struct record *record, const char *name);

/* A column, or NULL. */
const struct column *record_column(const struct record *record, const char *name);

/* Sets a column: in its place where it is there, else at position `at`. `name` and `data`
 * must outlive the record. */
int record_put(struct record *record, size_t at, const char *name, enum column_type type,
               uint64_t count, const void *data, struct fault *fault);

/* Drops the column of that name, or, with a name that ends in '-', all that begin so. */
void record_drop(struct record *record, const char *name);

/* Bytes of one element: 1, 4 or 8; of the column. */
size_t column_width(enum column_type type);
size_t column_bytes(const struct column *column);

/* The name of a type: u1, u4, f4 or f8. */
const char *column_type_name(enum column_type type);

/* Writes the header line with its LF into `line` and its length into *n. */
int record_header(const struct record *record, char line[RECORD_LINE + 1], size_t *n,
                  struct fault *fault);

/* A whole number as headers have it: digits alone, no leading zero, at most `most`. */
bool record_number(const char *text, uint64_t most, uint64_t *value);

#endif
