/* memory_eviction: which pairs a memory drops where it keeps a bounded number of them, or none of
 * old queries.
 *
 * What the loss of a pair costs is how often its query will come, times how much its answers say,
 * times how high they are: with u rounds of the query learnt, the last of them `age` rounds ago, of
 * `now` rounds in all, and n answers with the sum S,
 *
 *     worth = u / (now + u age) * rho n / (1 + rho n) * ((S / n - lo) / (hi - lo) + 1/32)
 *
 * The first factor is the rate u / now of a query that comes evenly, up to a factor of 2, and falls
 * as 1 / age for one that comes no more. The second is the part of the variance of the effect
 * that its answers explain. In the third lo and hi are those of memory_beliefs.h, and the quotient
 * is 0 where they are equal: what is known to be good stands on top, and what is known to be bad is
 * only missing there. A pair whose query is not known, of an older model, counts as u = 1 and
 * age = now. Of a pair that makes way a slot is kept (memory_beliefs.h).
 *
 * Where a pair, or a query, must go, 32 are compared: those whose keys follow a given one, and
 * after the largest the smallest. Keys are hashes, so these are drawn evenly, and by the keys
 * alone. So which one goes depends on nothing else than the pairs and queries that are kept. */
#ifndef RANKPIPE_MEMORY_EVICTION_H
#define RANKPIPE_MEMORY_EVICTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "memory/memory_beliefs.h"
#include "memory/memory_keys.h"
#include "memory/memory_table.h"
#include "memory/memory_tables.h"

enum { MEMORY_COMPARED = 32 };

struct memory_eviction {
    struct memory_tables *tables;
    struct memory_prospect prospect;
    double rho, now;
    double pairs, age; /* at most so many pairs, and queries; none so old; 0: no bound */
    uint64_t seed;     /* draws, with now, what is looked at */
};

double memory_eviction_worth(const struct memory_eviction *bound, const struct memory_entry *pair);

/* How many entries memory_eviction_enter and memory_eviction_age note in a round, with as many
 * documents, that begins (memory_tables_round). */
size_t memory_eviction_notes(size_t docs);

/* The entry of a pair or a query: a new one where there is none, for which another makes way where
 * there are `pairs`, which is noted. NULL with `fault` (memory). */
struct memory_entry *memory_eviction_enter(const struct memory_eviction *bound,
                                           enum memory_kind kind, uint64_t key,
                                           struct fault *fault);

/* Removes, and notes, of 32 queries that are drawn those that were last learnt more than `age`
 * rounds ago, and of 32 pairs those of such queries and of queries that are forgotten. Pairs whose
 * query was never known stay. */
void memory_eviction_age(const struct memory_eviction *bound);

/* Drops pairs of least worth, each of 32 that are drawn, until `pairs` are left; and likewise
 * queries. 0 or a fault (memory). */
int memory_eviction_keep(const struct memory_eviction *bound, struct fault *fault);

/* Removes the pairs of a round's documents with their slots and, with `query`, its query and all
 * pairs of that: returns how many pairs and slots. Those of an older model, whose query is not
 * known, are known by the documents. O(pairs) with `query`. */
uint64_t memory_eviction_forget(const struct memory_eviction *bound, const struct memory_keys *keys,
                             bool query);

#endif
