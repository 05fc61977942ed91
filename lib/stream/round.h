/* round: one query served once: its keys and columns, read, checked and changed (rankpipe(5)). */
#ifndef RANKPIPE_ROUND_H
#define RANKPIPE_ROUND_H

#include <stdint.h>

#include "base/fault.h"
#include "stream/round_columns.h"
#include "stream/round_matrix.h"
#include "stream/round_fields.h"
#include "stream/round_keys.h"

/* Before first use: an empty round over `record`, which is the caller's. */
void round_open(struct round *round, struct record *record);
void round_close(struct round *round);

/* Reads the header line of round->record, for which its payload need not have come: all keys, and
 * the types and lengths of all known columns. 0, or a fault without a place. */
int round_header(struct round *round, struct fault *fault);

/* round_header, then round_columns_read. */
int round_read(struct round *round, struct fault *fault);

/* A new round in round->record, without columns; qid NULL: none. */
int round_start(struct round *round, uint64_t t, const char *qid, size_t docs, size_t dim,
                struct fault *fault);

/* Add a column, as round_new does. A new score removes the rival, the index, the worth and judged=,
 * which belong to the old score; seen has so many places, and a new one removes propensity. */
double *round_new_score(struct round *round, struct fault *fault);
float *round_new_seen(struct round *round, size_t places, struct fault *fault);

/* Removes the order, how it was drawn, and the keys from gamma on. */
void round_forget_choice(struct round *round);

/* Removes all that is of one serving of the query: labels, scores, the order and how it was drawn,
 * feedback, request= and time=. Documents, their names and features stay. */
void round_forget_service(struct round *round);

/* Writes "round 17" or "round 17 (qid 10032)" into `name`. Returns `name`. */
enum { ROUND_NAME = 300 };
char *round_name(const struct round *round, char name[ROUND_NAME]);

#endif
