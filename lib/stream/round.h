/* round: one query served once: its keys and columns, read, checked and changed (rankpipe(5)). */
#ifndef RANKPIPE_ROUND_H
#define RANKPIPE_ROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "math/matrix.h"
#include "stream/round_fields.h"

/* Before first use: an empty round over `record`, which is the caller's. */
void round_open(struct round *round, struct record *record);
void round_close(struct round *round);

/* round_header, then round_columns_read. */
int round_read(struct round *round, struct fault *fault);

/* A new round in round->record, without columns; qid NULL: none. */
int round_start(struct round *round, uint64_t t, const char *qid, size_t docs, size_t dim,
                struct fault *fault);

/* Add a column, as round_new does.
 * - A new score removes what belongs to the old one: rival, index, worth, held, judged=, rates= and
 *   subset=.
 * - A new seen has so many places, and removes propensity and clicks=. */
double *round_new_score(struct round *round, struct fault *fault);
float *round_new_seen(struct round *round, size_t places, struct fault *fault);

/* Adds the column base, or replaces it: the documents in their order. 0 or a fault. */
int round_base_in_line_order(struct round *round, struct fault *fault);

/* Removes all that is of one serving of the query: labels, scores, the order and how it was drawn,
 * feedback, request= and time=. Documents, their names and features stay. */
void round_forget_service(struct round *round);

/* Did `rankpipe service erase` empty that round in place? Such a round keeps its number, its place
 * in the stream, and the key x-erased. Readers of rounds check its bytes and skip it. */
bool round_erased(const struct record *record);

/* Writes "round 17" or "round 17 (qid 10032)" into `name`. Returns `name`. */
enum { ROUND_NAME = 300 };
char *round_name(const struct round *round, char name[ROUND_NAME]);

/* Returns the share of a round, from 1 to `shares`, by a hash of its qid, or of its number if it
 * has no qid. The share is the same on every machine. */
uint64_t round_share(const struct round *round, uint64_t shares);

/* Reads the header line of round->record. The payload need not have come.
 * - All keys are read. A field whose key is missing becomes 0, false or NULL.
 * - Types and lengths of all known columns are checked. round->column points at these.
 * - Keys and columns that need or exclude each other are checked.
 * Returns 0, or a fault without a place. */
int round_header(struct round *round, struct fault *fault);

/* Removes the order, how it was drawn, and the keys from gamma on. */
void round_forget_choice(struct round *round);

/* ---- keys ---- */

/* Sets the fields of all keys to 0, false or NULL. The record stays as it is. */
void round_keys_clear(struct round *round);

/* Sets a key in the round and, at its place in the order of keys, in the record. The caller keeps
 * the value in the key's range: it is not checked. Returns 0, or a fault if the header line is
 * full. */
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

/* After round_header, when the record is bound to its payload: copies all columns that have a field
 * in struct round, and checks their values. Returns 0 or a fault. O(bytes). */
int round_columns_read(struct round *round, struct fault *fault);

/* Sets all pointers to columns to NULL. The record stays as it is. */
void round_columns_clear(struct round *round);

/* Adds a column before the features, or replaces the one of that name: a value for each document;
 * in seen and propensity, for each place. Returns its array, which is the round's and which the
 * caller fills; or NULL with a fault, if there is no memory or the header line is full. */
void *round_new(struct round *round, enum round_column column, struct fault *fault);

/* Removes a column from the round and from its record, if it is there. */
void round_drop(struct round *round, enum round_column column);

/* Removes label and every column whose name begins with label-. */
void round_drop_labels(struct round *round);

/* ---- documents ---- */

/* The column of documents' names, each ended by NUL. */
#define ROUND_NAMES "name"

/* Points *name at name[docs] in `buffer`, or sets it to NULL if the round has no names. Each name
 * ends with NUL, and is valid as long as the round's payload. A name is a word without blanks and
 * control characters; "" stands for none. Returns 0, or a fault if the column does not hold such
 * names. O(bytes). */
int round_names(const struct round *round, struct buffer *buffer, const char *const **name,
                struct fault *fault);

/* A data fault: the name of document i is not one word. Returns -1. */
int round_names_wrong(size_t i, struct fault *fault);

/* Adds the fingerprints of the features x, unless the round has names or fingerprints, or x is
 * MATRIX_UNIT. So they stay those of the features that came first. `scratch` is space that may be
 * used again. Returns 0 or a fault. */
int round_fingerprint(struct round *round, const struct matrix *x, struct buffer *scratch,
                      struct fault *fault);

/* ---- features ---- */

/* Points *x at the features in the payload, and checks them: the columns are those of one form, ptr
 * rises to the number of values, and idx rises in each document and stays below dim. Compact
 * features are expanded once, into memory of the round. Returns 0 or a fault. O(values) for sparse
 * and compact features, else O(1). */
int round_matrix(const struct round *round, struct matrix *x, struct fault *fault);

/* Replaces the round's features by those of a matrix, as the last columns, and sets dim=. The
 * matrix has as many documents as the round, and stays the caller's. Returns 0 or a fault. */
int round_new_features(struct round *round, const struct matrix *x, struct fault *fault);

/* Bytes of a record's features where they are its last columns, else 0. */
size_t round_feature_bytes(struct record *record);

#endif
