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

/* After round_header, the record being bound to its payload, reads the columns: labels finite and
 * not negative; scores, indices and logits finite; orders permutations. Features stay unread. */
int round_columns(struct round *round, struct fault *fault);

/* round_header, then round_columns. */
int round_read(struct round *round, struct fault *fault);

/* A new round in round->record, without columns; qid NULL: none. */
int round_start(struct round *round, uint64_t t, const char *qid, size_t docs, size_t dim,
                struct fault *fault);

/* Set a key, in the round and in its record. 0, or a fault where the header line is full. */
static inline int round_set_t(struct round *round, uint64_t t, struct fault *fault)
{
    return round_set(round, KEY_T, t, fault);
}

static inline int round_set_top(struct round *round, uint64_t places, struct fault *fault)
{
    return round_set(round, KEY_TOP, places, fault);
}

static inline int round_set_swap(struct round *round, uint64_t places, struct fault *fault)
{
    return round_set(round, KEY_SWAP, places, fault);
}

static inline int round_set_block(struct round *round, uint64_t block, struct fault *fault)
{
    return round_set(round, KEY_BLOCK, block, fault);
}

static inline int round_set_group(struct round *round, uint64_t group, struct fault *fault)
{
    return round_set(round, KEY_GROUP, group, fault);
}

static inline int round_set_time(struct round *round, uint64_t milliseconds, struct fault *fault)
{
    return round_set(round, KEY_TIME, milliseconds, fault);
}

static inline int round_set_seed(struct round *round, uint64_t seed, struct fault *fault)
{
    return round_set(round, KEY_SEED, seed, fault);
}

/* Add a column, as round_new does: one value for each document, but `places` values of seen. A new
 * score removes the rival and the index, which belong to the old score. */
static inline float *round_new_label(struct round *round, struct fault *fault)
{
    return round_new(round, ROUND_LABEL, round->docs, fault);
}

static inline uint64_t *round_new_fingerprint(struct round *round, struct fault *fault)
{
    return round_new(round, ROUND_FINGERPRINT, round->docs, fault);
}

double *round_new_score(struct round *round, struct fault *fault);

static inline double *round_new_rival(struct round *round, struct fault *fault)
{
    return round_new(round, ROUND_RIVAL, round->docs, fault);
}

static inline double *round_new_index(struct round *round, struct fault *fault)
{
    return round_new(round, ROUND_INDEX, round->docs, fault);
}

static inline uint32_t *round_new_order(struct round *round, struct fault *fault)
{
    return round_new(round, ROUND_ORDER, round->docs, fault);
}

static inline uint32_t *round_new_greedy(struct round *round, struct fault *fault)
{
    return round_new(round, ROUND_GREEDY, round->docs, fault);
}

static inline double *round_new_logit(struct round *round, struct fault *fault)
{
    return round_new(round, ROUND_LOGIT, round->docs, fault);
}

static inline unsigned char *round_new_team(struct round *round, struct fault *fault)
{
    return round_new(round, ROUND_TEAM, round->docs, fault);
}

float *round_new_seen(struct round *round, size_t places, struct fault *fault);

/* Removes the order, how it was drawn, and the keys from gamma on. */
void round_forget_choice(struct round *round);

/* Removes label and every column whose name begins with label-. */
void round_drop_labels(struct round *round);

/* Writes "round 17" or "round 17 (qid 10032)" into `name`. Returns `name`. */
enum { ROUND_NAME = 300 };
char *round_name(const struct round *round, char name[ROUND_NAME]);

#endif
