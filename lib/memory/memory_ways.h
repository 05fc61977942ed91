/* memory_ways: how a memory knows the documents of a round: by their names, if none is empty and no
 * two are equal; else by their features, and their places among equal ones; else, in a fixed list
 * without features, by their rows. Where a
 * column fingerprint has hashes of the raw features, these are used. Models without the key keys=,
 * which are older, knew all documents without names by their rows, and still know those queries
 * so. */
#ifndef RANKPIPE_MEMORY_WAYS_H
#define RANKPIPE_MEMORY_WAYS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "learn/settings.h"
#include "memory/memory_keys.h"
#include "stream/model.h"
#include "stream/round.h"

/* The ways of which a model has seen rounds, bits. */
enum {
    MEMORY_NAMES = 1, MEMORY_FEATURES = 2, MEMORY_ITEMS = 4,
    MEMORY_ROWS = 8 /* a model of before: some queries are known by their rows */
};

/* The secret key that the seed gives. */
struct memory_secret {
    uint64_t k0, k1;
};
struct memory_secret memory_secret(const struct settings *settings);

/* Does what the caller keeps have an entry of this key? */
typedef bool memory_knows(const void *kept, uint64_t key);

/* Starts the keys of a round's documents, by the best way that the round has; by their rows where
 * `ways` has MEMORY_ROWS, a document's row is known and no document is known the better way.
 * *way: the one bit that it is. A fault where the round cannot be known (memory_keys.h), or is a
 * fixed list after rounds with features, or the reverse. */
int memory_ways_round(struct memory_keys *keys, const struct round *round,
                      struct memory_secret secret, unsigned ways, memory_knows *knows,
                      const void *kept, unsigned *way, struct fault *fault);

/* Adds the key keys= to a model or a message: names,features,items,rows, those that it has seen. */
int memory_ways_save(unsigned ways, struct model *model, struct fault *fault);

/* The ways of a model or a message; 0 where it has no keys=. A fault where that is not a list of
 * ways. */
int memory_ways_load(unsigned *ways, const struct model *model, struct fault *fault);

#endif
