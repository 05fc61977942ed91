#include "base/table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/entropy.h"

/* Where the search for a key begins. */
static size_t home_of(const struct table *table, const void *key, size_t n)
{
    struct siphash hash = table->start;
    siphash_add(&hash, key, n);
    return (size_t)(siphash_end(&hash) % table->slots);
}

static size_t home_of_entry(const struct table *table, const void *entries, uint64_t entry)
{
    size_t n;
    const void *key = table->key(entries, entry, &n);
    return home_of(table, key, n);
}

static size_t next_slot(const struct table *table, size_t at)
{
    return at + 1 < table->slots ? at + 1 : 0;
}

/* Puts an entry where a search for it ends: in an empty slot. */
static void put(struct table *table, const void *entries, uint64_t entry)
{
    size_t at = home_of_entry(table, entries, entry);
    while (table->slot[at])
        at = next_slot(table, at);
    table->slot[at] = entry;
}

/* Makes the table half as large again, so that it stays at least half full. */
static int grow(struct table *table, const void *entries, struct fault *fault)
{
    struct table larger = *table;
    larger.slots += larger.slots / 2 + 16;
    larger.slot = calloc(larger.slots, sizeof *larger.slot);
    if (!larger.slot)
        return fault_no_room(fault, larger.slots * sizeof *larger.slot);
    if (table->slots == 0)
        larger.start = entropy_siphash();
    for (size_t i = 0; i < table->slots; i++)
        if (table->slot[i])
            put(&larger, entries, table->slot[i]);
    free(table->slot);
    *table = larger;
    return 0;
}

uint64_t table_find(const struct table *table, const void *entries, const void *key, size_t n)
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

int table_add(struct table *table, const void *entries, uint64_t entry, struct fault *fault)
{
    if (table->used >= table->slots - table->slots / 4 && grow(table, entries, fault) < 0)
        return -1;
    put(table, entries, entry);
    table->used++;
    return 0;
}

/* Then moves back the entries after it that a search would not find any more. */
void table_remove(struct table *table, const void *entries, uint64_t entry)
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

void table_close(struct table *table)
{
    free(table->slot);
    table->slot = NULL;
    table->slots = table->used = 0;
}
