/* hash_table: a hash table that finds the entries of a caller by their keys, which are bytes.
 *
 * The caller keeps the entries, and knows each by a number from 1 to 2^63 - 1, such as an index or
 * an address.
 *
 *     static const void *qid_of(const void *queries, uint64_t entry, size_t *n)
 *     {
 *         const char *qid = ((const struct query *)queries)[entry - 1].qid;
 *         *n = strlen(qid);
 *         return qid;
 *     }
 *
 *     struct hash_table table = { .key = qid_of };
 *     uint64_t entry = hash_table_find(&table, queries, "17", 2);
 *     if (entry == 0 && hash_table_add(&table, queries, added, fault) < 0)
 *         return -1;
 *
 * Keys are hashed by SipHash under a random key of the table: nobody can choose keys that collide.
 * Each call takes O(bytes of the key) on average. A table takes at most 16 bytes an entry. */
#ifndef RANKPIPE_HASH_TABLE_H
#define RANKPIPE_HASH_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/siphash.h"

/* The key of an entry, and its bytes *n; `entries` is what the caller of a table gives. */
typedef const void *hash_table_key(const void *entries, uint64_t entry, size_t *n);

struct hash_table { /* all zero at first, except `key`; may be moved */
    hash_table_key *key;
    uint64_t *slot; /* slot[slots]: entries; 0: an empty one */
    size_t slots, used;
    struct siphash start; /* of each hash */
};

/* The entry whose key are these n bytes, or 0. */
uint64_t hash_table_find(const struct hash_table *table, const void *entries, const void *key,
                         size_t n);

/* Adds *entry, whose key are these n bytes, if the table has none with this key: 1. Else *entry
 * becomes the one that it has: 0. Or a fault (memory). */
int hash_table_enter(struct hash_table *table, const void *entries, const void *key, size_t n,
                     uint64_t *entry, struct fault *fault);

/* Adds an entry, whose key the table does not have. 0 or a fault (memory). */
int hash_table_add(struct hash_table *table, const void *entries, uint64_t entry,
                   struct fault *fault);

/* Removes an entry, which the table has, and whose key is still as it was. */
void hash_table_remove(struct hash_table *table, const void *entries, uint64_t entry);

/* Removes all entries. O(them). */
void hash_table_clear(struct hash_table *table);

/* Frees the table's memory. Entries stay the caller's. */
void hash_table_close(struct hash_table *table);

#endif
