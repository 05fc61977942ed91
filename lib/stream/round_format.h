/* round_format: what each key and each column of a round may be, a row for each. round_header.c
 * checks by these rows, and `rankpipe --format` prints them for other programs. */
#ifndef RANKPIPE_ROUND_FORMAT_H
#define RANKPIPE_ROUND_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "stream/round_fields.h"

/* What the value of a key is. */
enum format_key {
    FORMAT_WHOLE,   /* a whole number, in a uint64_t */
    FORMAT_SIZE,    /* a whole number, in a size_t */
    FORMAT_NUMBER,  /* a decimal number, in a double */
    FORMAT_TEXT,    /* at most so many bytes, as the next two */
    FORMAT_ENCODED, /* % begins a byte, as two hexadecimal digits */
    FORMAT_STEPS,   /* steps of features, between commas */
    FORMAT_HEX      /* exactly so many hexadecimal digits */
};

/* How many values a column has. */
enum format_length {
    LENGTH_NONE,    /* it is a key */
    LENGTH_ANY,
    LENGTH_NAMES,   /* the bytes of docs names, each ended by NUL */
    LENGTH_DOCS,
    LENGTH_PLACES,  /* as many as the column seen, at most docs */
    LENGTH_CELLS,   /* docs*dim */
    LENGTH_STARTS,  /* docs+1 */
    LENGTH_ENTRIES, /* the same number in idx and val */
    LENGTH_DIM
};

/* To what a key or a column belongs. */
enum format_owner {
    OF_RECORD,
    OF_ROUND,  /* this serving of the list */
    OF_LIST,   /* the query and its documents, however often they are served */
    OF_DRAW,   /* how the order was drawn */
    OF_MODEL,  /* what the model said */
    OF_USERS,  /* what users said */
    OF_JUDGES  /* what judges know */
};

#define FORMAT_DOCS (-1.) /* as `most`: docs - 1. In a column of length docs: a permutation */

/* Sets of keys and columns, as bits. */
#define FORMAT_KEY(key) (UINT64_C(1) << (key))
#define FORMAT_COLUMN(column) (UINT64_C(1) << (ROUND_KEYS + (column)))

struct format {
    const char *name;
    int type; /* of a key: enum format_key; of a column: enum column_type */
    enum format_length length;
    double least, most;       /* bounds of each number, none where they are equal; bytes of text */
    uint64_t needs, excludes; /* what must stand in the same round, and what must not */
    enum format_owner of;
    bool required;
    bool choice;              /* goes when a new order is drawn */
    size_t value;             /* offset of its field in struct round; 0: it has none */
    size_t given;             /* of the bool that says whether the key is there; 0: none */
};

/* After those of the enums: crc, which is the record's, and all columns label-something. */
extern const struct format format_keys[ROUND_KEYS + 1], format_columns[ROUND_COLUMNS + 1];

/* The keys and columns that a round has, with all that these need and exclude. */
struct format_sets { /* all zero at first */
    uint64_t has, needs, excludes;
};

static inline void format_found(struct format_sets *sets, uint64_t bit, const struct format *row)
{
    sets->has |= bit;
    sets->needs |= row->needs;
    sets->excludes |= row->excludes;
}

/* 0, or a fault if the round lacks one that another needs, or has two that exclude each other. */
int format_check_together(const struct format_sets *sets, struct fault *fault);

/* Writes line number i of the table that rankpipe --format prints, without LF: its titles, the
 * keys, the columns. False after the last. */
enum { FORMAT_LINE = 500 };
bool format_line(size_t i, char line[FORMAT_LINE]);

#endif
