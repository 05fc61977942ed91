/* round_header: the keys and the columns of a round, read and checked by the rows of
 * round_format.h, and set. Programs include stream/round.h. */
#ifndef RANKPIPE_ROUND_HEADER_H
#define RANKPIPE_ROUND_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "stream/round_fields.h"

/* Reads the header line of round->record, for which its payload need not have come: all keys, where
 * a field whose key is missing becomes 0, false or NULL; types and lengths of all known columns,
 * into round->column; and which of both must or must not go together. 0, or a fault without a
 * place. */
int round_header(struct round *round, struct fault *fault);

/* Removes the order, how it was drawn, and the keys from gamma on. */
void round_forget_choice(struct round *round);

/* ---- keys ---- */

/* Sets the fields of all keys to 0, false or NULL. The record stays as it is. */
void round_keys_clear(struct round *round);

/* Sets a key in the round and, at its place in the order of keys, in the record. The value is not
 * checked: the caller keeps it in the key's range. 0, or a fault where the header line is full. */
int round_set(struct round *round, enum round_key key, uint64_t value, struct fault *fault);
int round_set_text(struct round *round, enum round_key key, const char *text, struct fault *fault);
int round_set_gamma(struct round *round, double gamma, struct fault *fault);

/* Removes a key, which is not a required one, from the round and from its record. */
void round_drop_key(struct round *round, enum round_key key);

/* ---- columns ---- */

/* The number of a column by its name; ROUND_COLUMNS for a name that is not known. */
enum round_column round_column_find(const char *name);

static inline bool round_column_is_feature(enum round_column column)
{
    return column >= ROUND_X && column < ROUND_COLUMNS;
}

/* The number of a column, which remembers it; ROUND_COLUMNS for one whose name is not known. */
static inline enum round_column round_column_of(struct column *column)
{
    if (!column->known)
        column->known = (unsigned char)(round_column_find(column->name) + 1);
    return (enum round_column)(column->known - 1);
}

/* Fills known[] with a record's known columns, or NULL. */
void round_columns_find(struct record *record, const struct column *known[ROUND_COLUMNS + 1]);

/* Checks types and lengths of the features among known[]: 0, or a fault. They need not be whole. */
int round_columns_check_features(const struct round *round, const struct column *const *known,
                                 struct fault *fault);

/* After round_header, the record being bound to its payload, copies all columns that have a
 * field in struct round, and checks their values. 0, or a fault. O(bytes). */
int round_columns_read(struct round *round, struct fault *fault);

/* Sets all pointers to columns to NULL. The record stays as it is. */
void round_columns_clear(struct round *round);

/* A new column in the record, before the features, or in the place of the one of that name: a value
 * for each document, of seen for each place. The array, which the caller fills in, is the round's;
 * NULL with a fault where there is no memory or the header line is full. */
void *round_new(struct round *round, enum round_column column, struct fault *fault);

/* Removes a column from the round and from its record, if it is there. */
void round_drop(struct round *round, enum round_column column);

/* Removes label and every column whose name begins with label-. */
void round_drop_labels(struct round *round);

#endif
