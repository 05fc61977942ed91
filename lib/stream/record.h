/* record: one record of a stream in memory: a round, a model, a patch or an end record, as a list
 * of keys and a list of columns. What they mean is for round, model and model_patch to say. */
#ifndef RANKPIPE_RECORD_H
#define RANKPIPE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

enum {
    RECORD_LINE = 4096,                 /* bytes of a header line, LF included */
    RECORD_KEYS = RECORD_LINE / 4,      /* more than a line can hold */
    RECORD_COLUMNS = RECORD_LINE / 8
};
#define RECORD_MOST ((uint64_t)1 << 53) /* every number in a header is at most this */

enum record_kind { RECORD_ROUND, RECORD_MODEL, RECORD_PATCH, RECORD_END };

enum column_type { COLUMN_U1, COLUMN_U2, COLUMN_U4, COLUMN_U8, COLUMN_F4, COLUMN_F8, COLUMN_TYPES };

struct splice;

/* `known`: by what number, from 1, the reader of the record knows the name; 0: not looked up yet.
 * A record that is made from the copy of a header (round_store.c) need not look it up again. */
struct key {
    const char *name, *value;
    unsigned char known;
};

/* Makes the values of a column while it is written: each call gives the next n of them. `again`
 * goes back to the first. */
struct column_source {
    void (*next)(struct column_source *source, void *values, size_t n);
    void (*again)(struct column_source *source);

    /* Of the first of `together` columns of 8-byte numbers, next to each other in the record and
     * made of the same entries: the next n values of each at once. A walk is either this or `next`
     * from its beginning to its end. `together` is 0 for others, and at most 4. */
    void (*next_of_all)(struct column_source *source, uint64_t *const *values, size_t n);
    size_t together;
};

struct column {
    const char *name;
    enum column_type type;
    uint64_t count;   /* values */
    const void *data; /* borrowed, perhaps unaligned; NULL: not in memory */
    struct column_source *source; /* makes the values, instead of data; borrowed; NULL: none */
    unsigned char known;
};

/* Has a record the key crc=? WANTED: the writer computes it. KEPT: it is the one that was read, and
 * the record has not changed since. Every function here that changes a record drops it. */
enum record_crc { CRC_NONE, CRC_WANTED, CRC_KEPT };

struct record {
    enum record_kind kind;
    enum record_crc has_crc; /* the key is not among key[] */
    uint32_t crc;            /* where it is KEPT */
    uint64_t rounds;        /* the count of an end record */
    uint64_t bytes;         /* of the payload, by the header line that was parsed */
    struct splice *spliced; /* holds the last columns instead of memory; NULL: all are in memory */
    size_t keys, columns;
    struct key key[RECORD_KEYS];
    struct column column[RECORD_COLUMNS];
    size_t used; /* bytes of `text`, which holds names and values */
    char text[4 * RECORD_LINE];
};

/* Is `text` that name? Does it begin with `start`? Names are short and a round needs many of these
 * comparisons: a call of strcmp would take longer than the comparison. */
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

/* Drops the key crc=, because the record changes. */
static inline void record_changes(struct record *record)
{
    record->has_crc = CRC_NONE;
}

/* Makes the writer give a record that has none the key crc=, unless it changes before. */
static inline void record_want_crc(struct record *record)
{
    if (record->has_crc != CRC_KEPT)
        record->has_crc = CRC_WANTED;
}

/* Makes `record` an empty record of that kind. */
void record_start(struct record *record, enum record_kind kind);

/* Points the columns at their places in the payload, which stays the caller's. The first column
 * that is not whole in `bytes` bytes gets NULL, and so do those after it. */
void record_bind(struct record *record, const void *payload, size_t bytes);

/* The value of a key, or NULL. */
const char *record_key(const struct record *record, const char *name);

/* Sets a key in its place, or adds it as key number `at`. `name` must outlive the record. The value
 * is copied. Returns 0, or a data fault if the header line has no room. */
int record_set(struct record *record, size_t at, const char *name, const char *value,
               struct fault *fault);
int record_set_number(struct record *record, size_t at, const char *name, uint64_t value,
                      struct fault *fault);

/* Sets the value of key number k, of so many bytes. Returns 0, or a data fault if the header line
 * has no room. */
int record_set_value(struct record *record, size_t k, const char *value, size_t bytes,
                     struct fault *fault);

/* The column of that name, or NULL. */
const struct column *record_column(const struct record *record, const char *name);

/* Replaces the column of that name, or adds it as the last. `name` and `data` must outlive the
 * record. Returns 0, or a data fault if the header line has no room. */
int record_put(struct record *record, const char *name, enum column_type type, uint64_t count,
               const void *data, struct fault *fault);

/* The same for a column whose values are made while the record is written. */
int record_put_source(struct record *record, const char *name, enum column_type type,
                      uint64_t count, struct column_source *source, struct fault *fault);

/* Bytes of one value: 1, 2, 4 or 8; of a whole column. */
size_t column_width(enum column_type type);
size_t column_bytes(const struct column *column);

/* Writes values of a column, from number `from` on, into `piece` as they are in a stream: as many
 * as fit into so many bytes. Returns their number, 0 at the end. If a source makes the values, the
 * pieces must be asked for one after the other. */
size_t column_piece(const struct column *column, uint64_t from, void *piece, size_t bytes);

/* column_type_name returns u1, u2, u4, u8, f4 or f8. column_type_find finds the type whose name
 * begins a text. It returns false if there is none. */
const char *column_type_name(enum column_type type);
bool column_type_find(const char *text, enum column_type *type);

/* Reads a whole number as headers have it: digits alone, no leading zero, at most `most`. Returns
 * false if the text is anything else. */
bool record_number(const char *text, uint64_t most, uint64_t *value);

/* Does the same for a number that other text may follow. Returns where that text begins, or NULL if
 * there is no number. */
const char *record_digits(const char *text, uint64_t most, uint64_t *value);

#endif
