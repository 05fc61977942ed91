/* memory_keys: 64-bit hashes by which a memory knows queries, and the documents of a query.
 *
 * A key is SipHash of the qid, a NUL, a letter and the document:
 *
 *     n  its name
 *     f  the fingerprint of its features (math/fingerprint.h), u8, and its place, u4: how many
 *        documents before it in the round have the same
 *     r  its row number, from 0, u4
 *     q  nothing: the key of the query itself
 *
 * Two of N pairs of query and document share a key, and then what is remembered, with a chance of
 * about N^2 / 2^65: 2.7e-4 among 10^8 pairs. */
#ifndef RANKPIPE_MEMORY_KEYS_H
#define RANKPIPE_MEMORY_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/siphash.h"
#include "learn/settings.h"
#include "model/model.h"
#include "stream/round.h"

/* The documents of a query under the secret key (k0, k1): what their keys start with. */
struct siphash memory_query(uint64_t k0, uint64_t k1, const char *qid);

/* The keys of a document by its name of n bytes, by its features, and by its row; and that of the
 * query. Never 0. */
uint64_t memory_key_name(const struct siphash *query, const void *name, size_t n);
uint64_t memory_key_features(const struct siphash *query, uint64_t fingerprint, uint32_t place);
uint64_t memory_key_row(const struct siphash *query, uint32_t row);
uint64_t memory_key_query(const struct siphash *query);

/* 32 bits, never 0, of a client of the query, as in the key client=; of one that is not known, by
 * the number of the round among those that were learnt. */
uint32_t memory_key_client(const struct siphash *query, const char *client, uint64_t number);

/* The key of a client in all queries. */
uint64_t memory_key_anywhere(uint64_t k0, uint64_t k1, const char *client);

/* A round's documents: qid as in its header, NULL where it has none; the `bytes` bytes of its
 * column name, NULL where it has none; and else fingerprint[docs], NULL for rows. */
struct memory_documents {
    const char *qid;
    size_t docs, bytes;
    const char *names;
    const uint64_t *fingerprint;
};

/* The keys of one round's documents: made together, or as they are asked for, which is less work
 * where few are. All zero before the first round. */
struct memory_keys {
    struct memory_documents documents;
    struct siphash query;
    const uint64_t *key;   /* key[docs]; NULL: not made yet                 */
    const uint32_t *place; /* place[docs], of fingerprints; NULL: of no use */
    struct buffer keys, places, hashes, scratch; /* hashes: fingerprints of the caller's */
};

/* Starts a round under the secret key (k0, k1). Borrows the documents. 0; 1 where a name is empty
 * or two are equal, so that names do not tell the documents apart: start it without them. A fault
 * where the round has no qid, or its names are not docs of them that each end in NUL. */
int memory_keys_round(struct memory_keys *keys, const struct memory_documents *documents,
                      uint64_t k0, uint64_t k1, struct fault *fault);

/* The same round with documents known by their rows, whatever else they have. */
void memory_keys_by_row(struct memory_keys *keys);

/* Makes the keys of all documents, keys->key. 0 or a fault (memory). */
int memory_keys_all(struct memory_keys *keys, struct fault *fault);

/* The key of document i of the round. */
uint64_t memory_keys_of(const struct memory_keys *keys, size_t i);

/* A round's documents are known by their names, if none is empty and no two are equal; else by
 * their features, and their places among equal ones; else, in a fixed list without features, by
 * their rows. Where a column fingerprint has hashes of raw features, these are used. Models without
 * the key keys=, which are older, knew all documents without names by their rows, and still know
 * those queries so.
 *
 * The ways of which a model has seen rounds, bits. */
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
 * *way: the one bit that it is. A fault where the round cannot be known, as above, or is a
 * fixed list after rounds with features, or the reverse. */
int memory_keys_start(struct memory_keys *keys, const struct round *round,
                      struct memory_secret secret, unsigned ways, memory_knows *knows,
                      const void *kept, unsigned *way, struct fault *fault);

/* Adds the key keys= to a model or a message: names,features,items,rows, those that it has seen. */
int memory_keys_save(unsigned ways, struct model *model, struct fault *fault);

/* The ways of a model or a message; 0 where it has no keys=. A fault where that is not a list of
 * ways. */
int memory_keys_load(unsigned *ways, const struct model *model, struct fault *fault);

void memory_keys_close(struct memory_keys *keys);

#endif
