/* round: one query served once: its keys and columns, read, checked and changed (rankpipe(5)). */
#ifndef RANKPIPE_ROUND_H
#define RANKPIPE_ROUND_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "math/matrix.h"
#include "stream/round_header.h"

/* Before first use: an empty round over `record`, which is the caller's. */
void round_open(struct round *round, struct record *record);
void round_close(struct round *round);

/* round_header, then round_columns_read. */
int round_read(struct round *round, struct fault *fault);

/* A new round in round->record, without columns; qid NULL: none. */
int round_start(struct round *round, uint64_t t, const char *qid, size_t docs, size_t dim,
                struct fault *fault);

/* Add a column, as round_new does. A new score removes the rival, the index, the worth, held,
 * judged=, rates= and subset=, which belong to the old score; seen has so many places, and a new
 * one removes propensity and clicks=. */
double *round_new_score(struct round *round, struct fault *fault);
float *round_new_seen(struct round *round, size_t places, struct fault *fault);

/* Adds the column base, or replaces it: the documents in their order. 0 or a fault. */
int round_base_in_line_order(struct round *round, struct fault *fault);

/* Removes all that is of one serving of the query: labels, scores, the order and how it was drawn,
 * feedback, request= and time=. Documents, their names and features stay. */
void round_forget_service(struct round *round);

/* Is that a round that `rankpipe service erase` emptied in place? It holds its number, its place in
 * the stream, and the key x-erased: readers of rounds check its bytes, and pass over it. */
bool round_erased(const struct record *record);

/* Writes "round 17" or "round 17 (qid 10032)" into `name`. Returns `name`. */
enum { ROUND_NAME = 300 };
char *round_name(const struct round *round, char name[ROUND_NAME]);

/* The share of a round, from 1 to `shares`: by a hash of its qid, the same everywhere; by that of
 * its number where it has none. */
uint64_t round_share(const struct round *round, uint64_t shares);

/* ---- documents ---- */

/* The column of documents' names, each ended by NUL. */
#define ROUND_NAMES "name"

/* Points *name at name[docs], in `buffer`, each ended by NUL and good as long as the round's
 * payload; NULL where the round has no names. They are words without blanks and control characters,
 * where "" is none. 0, or a fault where the column does not hold such names. O(bytes). */
int round_names(const struct round *round, struct buffer *buffer, const char *const **name,
                struct fault *fault);

/* A data fault: the name of document i is not one word. Returns -1. */
int round_names_wrong(size_t i, struct fault *fault);

/* Adds the fingerprints of the features x, where the round has neither names nor the column
 * already, and x is not MATRIX_UNIT: they stay those of the features that came first. 0 or a fault.
 * `scratch` is space that may be used again. */
int round_fingerprint(struct round *round, const struct matrix *x, struct buffer *scratch,
                      struct fault *fault);

/* ---- features ---- */

/* Points *x at the features in the payload, and checks them: the columns are those of one form,
 * ptr rises to the number of values, idx rises below dim in each document. Compact features are
 * expanded into memory of the round, once. 0, or a fault. O(values of a sparse or compact form),
 * else O(1). */
int round_matrix(const struct round *round, struct matrix *x, struct fault *fault);

/* Replaces the round's features by those of a matrix, which stay the caller's, as the last columns,
 * and sets dim=. The matrix has as many documents as the round. 0, or a fault. */
int round_new_features(struct round *round, const struct matrix *x, struct fault *fault);

/* Bytes of a record's features where they are its last columns, else 0. */
size_t round_feature_bytes(struct record *record);

#endif
