/* memory_table: what was answered about each pair of a query and a document: a table in memory that
 * grows, and sorted arrays in a file that are looked up in place. */
#ifndef RANKPIPE_MEMORY_TABLE_H
#define RANKPIPE_MEMORY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

/* The answers about one pair: how many, or the sum of their weights, and their sum. Tables of other
 * things have other numbers (memory_tables.h). */
struct memory_entry {
    uint64_t key; /* of memory_keys.h, never 0 */
    union {
        struct {
            double n, sum;
        };
        uint64_t bits[2]; /* of memory_beliefs.h */
    };
    uint64_t owner; /* the key of the pair's query; 0: not known */
};

/* ---- in memory ---- */

enum { MEMORY_SHELVES = 64 };

/* Open addressing in the order of keys: an entry lies in the slot that its key points at or, where
 * smaller keys are in the way, in the next free one after them. So the entries are always sorted.
 * They are in many shelves, so that one that grows is not the whole table twice. */
struct memory_table { /* all zero at first */
    struct memory_shelf {
        struct memory_entry *entry; /* entry[room], with key 0 where it is empty */
        size_t slots;               /* keys point at these; room has some more    */
        size_t room, used;
    } shelf[MEMORY_SHELVES];
    size_t used; /* entries */
};

/* The entry of a key, or NULL. Its n and sum may be changed. It is good until the next
 * memory_table_enter. */
struct memory_entry *memory_table_find(const struct memory_table *table, uint64_t key);

/* A hint that memory_table_find will soon look for the key: the machine fetches its place. */
void memory_table_prefetch(const struct memory_table *table, uint64_t key);

/* The entry of a key, as above; a new one where there is none, with n = sum = 0. NULL with `fault`
 * where memory is short, or where the keys are not spread as hashes are. At most 64 bytes a pair,
 * and 64 KiB; while a shelf grows, 1/64 of that in addition. */
struct memory_entry *memory_table_enter(struct memory_table *table, uint64_t key,
                                        struct fault *fault);

/* Removes the entry of a key, if it is there. Entries may move. */
void memory_table_remove(struct memory_table *table, uint64_t key);

/* Makes room for `count` entries, so that none of the next memory_table_enter up to that many moves
 * a shelf, except for bad luck in how they spread. 0 or a fault. */
int memory_table_reserve(struct memory_table *table, size_t count, struct fault *fault);

/* Enters all of the arrays: their numbers take the place of those that the keys had, and a key with
 * whose numbers have no bit set is removed. 0, or a fault, which a key of 0 is too. */
struct memory_arrays;
int memory_table_fill(struct memory_table *table, const struct memory_arrays *arrays,
                      struct fault *fault);

/* Where a walk through the entries is; all zero at first. */
struct memory_walk {
    size_t shelf, slot;
};

/* The next entry, keys rising, or NULL after the last. No entry may be new during a walk. */
const struct memory_entry *memory_table_next(const struct memory_table *table,
                                             struct memory_walk *walk);

/* The 8 bytes at `offset` of each of the next n entries, which are there, into out[8 n]. */
void memory_table_copy(const struct memory_table *table, struct memory_walk *walk, size_t offset,
                       void *out, size_t n);

/* The same of several offsets: out[c][i] is the number at offset[c] of the i-th of them. */
void memory_table_numbers(const struct memory_table *table, struct memory_walk *walk,
                          const size_t *offset, size_t offsets, uint64_t *const *out, size_t n);

/* A walk whose next entry is the first that is not below the key. */
struct memory_walk memory_table_walk(const struct memory_table *table, uint64_t key);

void memory_table_close(struct memory_table *table);

/* ---- in a file ---- */

/* Arrays of `count` numbers, keys rising: perhaps unaligned, the caller's. */
struct memory_arrays {
    const unsigned char *key, *n, *sum; /* u8, f8 or u8; sum NULL: 0 */
    const unsigned char *owner;         /* u8; NULL: 0                  */
    size_t count;
};

/* Looks up a key: true and the pair where it is there. Looks at about five keys, and at most 17 +
 * log2(count). In arrays that are not sorted it may miss a key, and does no other harm. */
bool memory_arrays_find(const struct memory_arrays *arrays, uint64_t key,
                        struct memory_entry *entry);

#endif
