/* draft: streams as the fuzzer makes and changes them: any header line, right or wrong. */
#ifndef RANKPIPE_STRUCTURED_DRAFT_H
#define RANKPIPE_STRUCTURED_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "draw.h"

struct bytes {
    unsigned char *data;
    size_t n;
};

struct word {
    const char *name, *value;
};

struct array {
    const char *name, *type; /* "f4" */
    size_t n;                /* values, as the header line says */
    struct bytes data;       /* those that are there            */
};

enum { KEYS_MOST = 48, COLUMNS_MOST = 32 };

struct draft {
    const char *kind; /* "round", "model" or "end" */
    struct word key[KEYS_MOST];
    struct array column[COLUMNS_MOST];
    size_t keys, columns;
    const char *bytes; /* the value of bytes=; NULL: the right one */
    const char *space; /* between two words; NULL: one space       */
};

/* Records in order, end records among them. */
struct stream {
    struct draft *record;
    size_t n, room;
};

size_t type_width(const char *type);

/* A record without keys at the end of the stream, or before number `at`. */
struct draft *stream_add(struct stream *stream, const char *kind);
struct draft *stream_insert(struct stream *stream, size_t at, const struct draft *record);
void stream_remove(struct stream *stream, size_t at);

/* Adds an end record that counts the records since the last one. */
void stream_end(struct stream *stream);

void draft_key(struct draft *record, const char *name, const char *value);
const char *draft_value(const struct draft *record, const char *name); /* or NULL */
struct array *draft_column(struct draft *record, const char *name);   /* or NULL */

/* Adds a column of n values, 0 at first; before the features, if `early`. */
struct array *draft_add(struct draft *record, const char *name, const char *type, size_t n,
                          bool early);

/* A value of a column, as a double (a u8 as near as a double comes). */
double array_get(const struct array *column, size_t i);
void array_put(struct array *column, size_t i, double value);

/* The stream as bytes. A key crc= that stands in a record is made right. */
struct bytes stream_bytes(const struct stream *stream);

/* CRC-32C, bit by bit, of n more bytes; begin with 0. */
uint32_t crc_by_bits(uint32_t crc, const void *bytes, size_t n);

#endif
