/* memory_bound: which pairs a memory drops where it keeps a bounded number of them, or none of old
 * queries.
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
 * age = now. Of a pair that makes way a slot is kept (memory_dropped.h).
 *
 * Where a pair, or a query, must go, 32 are compared: those whose keys follow a given one, and
 * after the largest the smallest. Keys are hashes, so these are drawn evenly, and by the keys
 * alone. So which one goes depends on nothing else than the pairs and queries that are kept. */
#ifndef RANKPIPE_MEMORY_BOUND_H
#define RANKPIPE_MEMORY_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "math/rng.h"
#include "memory/memory_beliefs.h"
#include "memory/memory_columns.h"
#include "memory/memory_keys.h"
#include "memory/memory_table.h"

enum { MEMORY_COMPARED = 32 };

struct memory_bound {
    struct memory_table *table; /* table[MEMORY_KINDS] */
    struct memory_prospect prospect;
    double rho, now;
};

double memory_bound_worth(const struct memory_bound *bound, const struct memory_entry *pair);

/* Of the pairs that follow a key, the one of least worth, the first of several; 0: there are no
 * pairs. */
uint64_t memory_bound_least(const struct memory_bound *bound, uint64_t key);

/* Of the queries that follow a key, the one that will come least often; 0: there are none. */
uint64_t memory_bound_rarest(const struct memory_bound *bound, uint64_t key);

/* Drops a pair, which is there, and keeps a slot of it. *query is the key of its query, 0 where
 * that is not known. 0 or a fault (memory). */
int memory_bound_drop(const struct memory_bound *bound, uint64_t key, uint64_t *query,
                      struct fault *fault);

/* Of the queries that follow a key those that were last learnt more than `age` rounds ago, or of
 * the pairs those of such queries and of queries that are forgotten: their keys into
 * old[MEMORY_COMPARED], how many. Of pairs whose query was never known nothing is said. */
size_t memory_bound_old(const struct memory_bound *bound, enum memory_kind kind, uint64_t key,
                        double age, uint64_t *old);

/* Drops pairs of least worth, each of those that follow a key drawn, until `most` are left; and
 * likewise queries. 0 or a fault (memory). */
int memory_bound_keep(const struct memory_bound *bound, double most, struct rng *rng,
                      struct fault *fault);

/* Removes the pairs of a round's documents with their slots and, with `query`, its query and all
 * pairs of that: returns how many pairs and slots. Those of an older model, whose query is not
 * known, are known by the documents. O(pairs) with `query`. */
uint64_t memory_bound_forget(const struct memory_bound *bound, const struct memory_keys *keys,
                             bool query);

/* Removes a pair, or a query with its slots, whose pairs stay. */
void memory_bound_forget_key(const struct memory_bound *bound, enum memory_kind kind, uint64_t key);

#endif
