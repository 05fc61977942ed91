/* memory_columns: what a memory remembers as columns of a model or of a message: of pairs their
 * keys, answers, sums and owners, the keys of their queries; of queries their keys, visits (how
 * many rounds of theirs were learnt) and latest (the number of the last of these rounds, counted
 * over all rounds learnt, from 1); of queries with pairs that were dropped (memory_dropped.h) their
 * keys, low and high. Messages have neither owners nor latest. Models of before have pairs alone,
 * without owners; those without bounds have no column dropped. */
#ifndef RANKPIPE_MEMORY_COLUMNS_H
#define RANKPIPE_MEMORY_COLUMNS_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "memory/memory_table.h"
#include "stream/model.h"

/* Which of the tables. In that of queries n is visits, and sum is latest; in the last bits are low
 * and high. */
enum memory_kind { MEMORY_PAIRS, MEMORY_QUERIES, MEMORY_DROPPED, MEMORY_KINDS };

/* Adds all entries of the table, which must not change while the model is written or read. The
 * model borrows both. An empty table of dropped pairs adds nothing. 0 or a fault. */
int memory_columns_put(struct buffer *buffer, enum memory_kind kind,
                       const struct memory_table *table, struct model *model, struct fault *fault);

/* Adds the entries of the keys key[n] alone, for a message; the model borrows `key` and the buffer.
 * A key that the table does not have was removed: its numbers are 0. */
int memory_columns_put_some(struct buffer *buffer, enum memory_kind kind,
                            const struct memory_table *table, const uint64_t *key, size_t n,
                            struct model *model, struct fault *fault);

/* The arrays of entries of a model, as they lie in it: 0, or a fault where they are not there or
 * not of one length. No column of queries, or of dropped pairs, has none. */
int memory_columns_find(const struct model *model, enum memory_kind kind,
                        struct memory_arrays *arrays, struct fault *fault);

/* Finds the arrays, and enters them into the table, which is empty. 0, or a fault; also where the
 * keys are not rising from 1, or numbers not finite or negative, or a bit is low and high.
 * O(count). */
int memory_columns_load(const struct model *model, enum memory_kind kind,
                        struct memory_table *table, struct memory_arrays *arrays,
                        struct fault *fault);

#endif
