#include "base/hash_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"

/* Marks an entry that is not in its place yet, while the table grows. */
#define PENDING ((uint64_t)1 << 63)

/* Where the search for a key begins. */
static size_t home_of(const struct hash_table *table, const void *key, size_t n)
{
    struct siphash hash = table->start;
    siphash_add(&hash, key, n);
    uint64_t h = siphash_end(&hash), slots = table->slots;
    return (size_t)(slots <= UINT32_MAX ? (h >> 32) * slots >> 32 : h % slots);
}

static size_t home_of_entry(const struct hash_table *table, const void *entries, uint64_t entry)
{
    size_t n;
    const void *key = table->key(entries, entry, &n);
    return home_of(table, key, n);
}

static size_t next_slot(const struct hash_table *table, size_t at)
{
    return at + 1 < table->slots ? at + 1 : 0;
}

/* Puts an entry where a search for it ends: in an empty slot, or in that of a pending entry, which
 * it returns. */
static uint64_t put(struct hash_table *table, const void *entries, uint64_t entry)
{
    size_t at = home_of_entry(table, entries, entry);
    while (table->slot[at] && !(table->slot[at] & PENDING))
        at = next_slot(table, at);
    uint64_t was = table->slot[at] & ~PENDING;
    table->slot[at] = entry;
    return was;
}

/* Makes the table half as large again, so that it stays at least half full. All entries are then
 * pending: each is put in its place, without a second table. */
static int grow(struct hash_table *table, const void *entries, struct fault *fault)
{
    size_t was = table->slots, slots = was + was / 2 + 16;
    uint64_t *slot = realloc(table->slot, slots * sizeof *slot);
    if (!slot)
        return fault_no_room(fault, slots * sizeof *slot);
    if (was == 0)
        table->start = entropy_siphash();
    memset(slot + was, 0, (slots - was) * sizeof *slot);
    table->slot = slot;
    table->slots = slots;
    for (size_t i = 0; i < was; i++)
        slot[i] |= slot[i] ? PENDING : 0;
    for (size_t i = 0; i < was; i++) {
        uint64_t entry = slot[i] & PENDING ? slot[i] & ~PENDING : 0;
        if (entry)
            slot[i] = 0;
        while (entry)
            entry = put(table, entries, entry);
    }
    return 0;
}

/* For one entry more. 0 or a fault. */
static int make_slots(struct hash_table *table, const void *entries, struct fault *fault)
{
    return table->used < table->slots - table->slots / 4 ? 0 : grow(table, entries, fault);
}

uint64_t hash_table_find(const struct hash_table *table, const void *entries, const void *key,
                         size_t n)
{
    if (table->used == 0)
        return 0;
    size_t bytes;
    for (size_t at = home_of(table, key, n); table->slot[at]; at = next_slot(table, at)) {
        const void *other = table->key(entries, table->slot[at], &bytes);
        if (bytes == n && memcmp(other, key, n) == 0)
            return table->slot[at];
    }
    return 0;
}

int hash_table_enter(struct hash_table *table, const void *entries, const void *key, size_t n,
                     uint64_t *entry, struct fault *fault)
{
    if (make_slots(table, entries, fault) < 0) return -1;
    size_t at = home_of(table, key, n), bytes;
    for (; table->slot[at]; at = next_slot(table, at)) {
        const void *other = table->key(entries, table->slot[at], &bytes);
        if (bytes == n && memcmp(other, key, n) == 0) {
            *entry = table->slot[at];
            return 0;
        }
    }
    table->slot[at] = *entry;
    table->used++;
    return 1;
}

int hash_table_add(struct hash_table *table, const void *entries, uint64_t entry,
                   struct fault *fault)
{
    if (make_slots(table, entries, fault) < 0) return -1;
    (void)put(table, entries, entry);
    table->used++;
    return 0;
}

/* Then moves back the entries after it that a search would not find any more. */
void hash_table_remove(struct hash_table *table, const void *entries, uint64_t entry)
{
    size_t hole = home_of_entry(table, entries, entry);
    while (table->slot[hole] != entry)
        hole = next_slot(table, hole);
    for (size_t at = next_slot(table, hole); table->slot[at]; at = next_slot(table, at)) {
        size_t home = home_of_entry(table, entries, table->slot[at]);
        bool stays = hole <= at ? hole < home && home <= at : hole < home || home <= at;
        if (stays)
            continue;
        table->slot[hole] = table->slot[at];
        hole = at;
    }
    table->slot[hole] = 0;
    table->used--;
}

/* A table that is much larger than what it held is given up: it would be cleared for nothing again
 * and again. */
void hash_table_clear(struct hash_table *table)
{
    if (table->slots > 64 * table->used + 1024)
        hash_table_close(table);
    else if (table->used)
        memset(table->slot, 0, table->slots * sizeof *table->slot);
    table->used = 0;
}

void hash_table_close(struct hash_table *table)
{
    free(table->slot);
    table->slot = NULL;
    table->slots = table->used = 0;
}
