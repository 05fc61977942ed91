/* memory_keys: 64-bit hashes by which a memory knows the documents of a query.
 *
 * A key is SipHash of the qid, a NUL, a letter and the document: after an n its name, after an r
 * its row number, from 0, as u4. Two of N pairs of query and document share a key, and then what is
 * remembered, with a chance of about N^2 / 2^65: 2.7e-4 among 10^8 pairs. */
#ifndef RANKPIPE_MEMORY_KEYS_H
#define RANKPIPE_MEMORY_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/siphash.h"

/* The documents of a query under the secret key (k0, k1): what their keys start with. */
struct siphash memory_query(uint64_t k0, uint64_t k1, const char *qid);

/* The key of the query itself. Never 0. */
uint64_t memory_key_query(const struct siphash *query);

/* The key of the document with a name of n bytes; of the document in row `row` of a round without
 * names. Never 0. */
uint64_t memory_key_name(const struct siphash *query, const void *name, size_t n);
uint64_t memory_key_row(const struct siphash *query, uint32_t row);

/* A round's documents: qid as in its header, NULL where it has none; and the `bytes` bytes of its
 * column name, NULL where it has none. */
struct memory_documents {
    const char *qid;
    size_t docs, bytes;
    const char *names;
};

/* Starts the keys of a round's documents, as memory_query does, or a fault where it has no qid. */
int memory_round_query(const struct memory_documents *documents, uint64_t k0, uint64_t k1,
                       struct siphash *query, struct fault *fault);

/* The keys of a round's documents, into key[docs]. A fault where the round has no qid, its names
 * are not docs of them that each end in NUL, or two documents have one name. `scratch` is space
 * that may be used again. */
int memory_keys(const struct memory_documents *documents, uint64_t k0, uint64_t k1, uint64_t *key,
                struct buffer *scratch, struct fault *fault);

#endif
