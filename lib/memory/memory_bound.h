/* memory_bound: which pairs a memory loses where it keeps a bounded number of them, or none of old
 * queries.
 *
 * What the loss of a pair costs is how often its query will come times how much is known of the
 * pair: with u rounds of the query learnt, the last of them `age` rounds ago, of `now` rounds in
 * all, and n answers,
 *
 *     worth = u / (now + u age) * rho n / (1 + rho n)
 *
 * The first factor is the rate u / now of a query that comes evenly, up to a factor of 2, and falls
 * as 1 / age for one that comes no more. The second is the part of the variance of the effect
 * that its answers explain. A pair whose query is not known, of an older model, counts as u = 1 and
 * age = now.
 *
 * Where one pair must go, 32 are compared: those whose keys follow a given one, and after the
 * largest the smallest. Keys are hashes, so these are drawn evenly, and by the keys alone. So which
 * pair goes depends on nothing else than the pairs and queries that are kept. */
#ifndef RANKPIPE_MEMORY_BOUND_H
#define RANKPIPE_MEMORY_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/memory_keys.h"
#include "memory/memory_table.h"

enum { MEMORY_COMPARED = 32 };

struct memory_bound {
    struct memory_table *pairs, *queries; /* memory_columns.h */
    double rho, now;
    uint64_t current; /* the query that is learnt, which stays without pairs; 0: none */
};

double memory_bound_worth(const struct memory_bound *bound, const struct memory_entry *pair);

/* Of the pairs that follow a key, the one of least worth, the first of several; 0: there are no
 * pairs. */
uint64_t memory_bound_least(const struct memory_bound *bound, uint64_t key);

/* Of the pairs that follow a key drawn by the seed and `now`, the keys of those whose query was
 * last learnt more than `age` rounds ago, into old[MEMORY_COMPARED]: how many. Of pairs whose query
 * is not known nothing is said. */
size_t memory_bound_old(const struct memory_bound *bound, uint64_t seed, double age,
                        uint64_t *old);

/* Removes a pair, if it is there. Returns the key of its query where this was its last pair, and
 * removes that, too, unless it is current; else 0. */
uint64_t memory_bound_remove(const struct memory_bound *bound, uint64_t key);

/* The key of the first pair of a query whose key is at least `from`; 0: there is none. O(pairs). */
uint64_t memory_bound_next(const struct memory_bound *bound, uint64_t query, uint64_t from);

/* Removes pairs of least worth, each of those that follow a key drawn by the seed and `now`, until
 * `most` are left. */
void memory_bound_keep(const struct memory_bound *bound, double most, uint64_t seed);

/* Removes the pairs of a round's documents and, with `query`, its query and all pairs of that:
 * returns how many pairs. Those of an older model, whose query is not known, are known by the
 * documents. O(pairs) with `query`. */
uint64_t memory_bound_forget(const struct memory_bound *bound, const struct memory_keys *keys,
                             bool query);

/* The pair is of the query, which is in the table: counts it there, unless it is counted. */
void memory_bound_own(const struct memory_bound *bound, struct memory_entry *pair, uint64_t query);

/* Counts the pairs of all queries, whose counts are 0: after a model is read. O(pairs). */
void memory_bound_count(const struct memory_bound *bound);

#endif
