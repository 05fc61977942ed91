/* memory_dropped: what a bounded memory still knows of the pairs that it dropped: whether answers
 * about them were low or high.
 *
 * Each query with such pairs has 64 slots, and a document the slot of the last six bits of its
 * pair's key. A slot is low, high, or neither; documents that share one have the answer of the one
 * dropped last. A document without a pair, whose slot is low or high, counts as one with a single
 * answer, the mean of the first answers h (memory_beliefs.h) that are at most a, or above a.
 *
 * Of 20 documents, with 15 of them dropped, one in five that nobody judged falls on such a slot. */
#ifndef RANKPIPE_MEMORY_DROPPED_H
#define RANKPIPE_MEMORY_DROPPED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "memory/memory_beliefs.h"
#include "memory/memory_table.h"

/* Marks the slot of a pair of the query. 0 or a fault (memory). */
int memory_dropped_mark(struct memory_table *dropped, uint64_t query, uint64_t pair, bool high,
                        struct fault *fault);

/* Forgets what is known by the slot of a pair: true if there was something. */
bool memory_dropped_clear(struct memory_table *dropped, uint64_t query, uint64_t pair);

/* Of a query's slots, whose entry may be 0 throughout: the answer that the document of the pair
 * counts as, into *y; or false. */
bool memory_dropped_answer(const struct memory_entry *slots, uint64_t pair,
                           const struct memory_prospect *prospect, double *y);

/* Adds the slots of other queries; one that is low in one table and high in the other is high. 0 or
 * a fault (memory). */
int memory_dropped_add(struct memory_table *dropped, const struct memory_table *others,
                       struct fault *fault);

#endif
