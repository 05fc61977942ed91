#include "memory/memory_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/unaligned.h"

/* Room after the slots for the last entries; how far the next gap may be from the slot that a key
 * points at, five times what it ever is among hashes; and how often a place in arrays is guessed
 * from the keys, before the rest is halved. */
enum { TAIL = 16, FAR = 4096, GUESSES = 16 };

/* ---- in memory ---- */

/* The number of a key's shelf: the shelves are in the order of keys, too. */
static size_t shelf_of(uint64_t key)
{
    return (size_t)(key / (UINT64_MAX / MEMORY_SHELVES + 1));
}

/* The slot that a key points at, rising with the keys of a shelf. */
static size_t home_of(const struct memory_shelf *shelf, uint64_t key)
{
    return (size_t)((key * MEMORY_SHELVES >> 32) * shelf->slots >> 32);
}

/* Where a key is, or would be entered. */
static size_t seek(const struct memory_shelf *shelf, uint64_t key)
{
    size_t at = home_of(shelf, key);
    while (at < shelf->room && shelf->entry[at].key && shelf->entry[at].key < key)
        at++;
    return at;
}

struct memory_entry *memory_table_find(const struct memory_table *table, uint64_t key)
{
    const struct memory_shelf *shelf = &table->shelf[shelf_of(key)];
    size_t at = seek(shelf, key);
    return at < shelf->room && shelf->entry[at].key == key ? &shelf->entry[at] : NULL;
}

void memory_table_prefetch(const struct memory_table *table, uint64_t key)
{
    const struct memory_shelf *shelf = &table->shelf[shelf_of(key)];
    if (shelf->entry)
        __builtin_prefetch(&shelf->entry[home_of(shelf, key)]);
}

/* More room after the slots. */
static int extend(struct memory_shelf *shelf, struct fault *fault)
{
    size_t room = shelf->room + TAIL;
    struct memory_entry *entry = realloc(shelf->entry, room * sizeof *entry);
    if (!entry)
        return fault_no_room(fault, room * sizeof *entry);
    memset(entry + shelf->room, 0, (room - shelf->room) * sizeof *entry);
    shelf->entry = entry;
    shelf->room = room;
    return 0;
}

/* Moves the entries of a shelf, in their order, into one of so many slots. */
static int rebuild(struct memory_shelf *shelf, size_t slots, struct fault *fault)
{
    struct memory_shelf wider = { .slots = slots, .room = slots + TAIL, .used = shelf->used };
    wider.entry = calloc(wider.room, sizeof *wider.entry);
    if (!wider.entry)
        return fault_no_room(fault, wider.room * sizeof *wider.entry);
    for (size_t i = 0, next = 0; i < shelf->room; i++) {
        if (!shelf->entry[i].key)
            continue;
        size_t home = home_of(&wider, shelf->entry[i].key);
        next = home > next ? home : next;
        if (next == wider.room && extend(&wider, fault) < 0) {
            free(wider.entry);
            return -1;
        }
        wider.entry[next++] = shelf->entry[i];
    }
    free(shelf->entry);
    *shelf = wider;
    return 0;
}

/* The entries from `at` up to the next gap move by one. */
static int shift(struct memory_shelf *shelf, size_t at, size_t home, struct fault *fault)
{
    size_t gap = at;
    while (gap < shelf->room && shelf->entry[gap].key)
        gap++;
    if (gap - home > FAR)
        return fault_data(fault, "the memory keys are not evenly spread: the model is damaged");
    if (gap == shelf->room && extend(shelf, fault) < 0) return -1;
    memmove(shelf->entry + at + 1, shelf->entry + at, (gap - at) * sizeof *shelf->entry);
    return 0;
}

/* A shelf grows by a third where four fifths of its slots are used: so they are always at least
 * three fifths, and a pair takes 54 bytes at the most. */
static struct memory_entry *enter_new(struct memory_shelf *shelf, uint64_t key, struct fault *fault)
{
    if (shelf->used >= shelf->slots - shelf->slots / 5 &&
        rebuild(shelf, shelf->slots + shelf->slots / 3 + 4, fault) < 0)
        return NULL;
    size_t at = seek(shelf, key);
    if (shift(shelf, at, home_of(shelf, key), fault) < 0)
        return NULL;
    shelf->entry[at] = (struct memory_entry){ .key = key };
    shelf->used++;
    return &shelf->entry[at];
}

struct memory_entry *memory_table_enter(struct memory_table *table, uint64_t key,
                                        struct fault *fault)
{
    struct memory_entry *entry = memory_table_find(table, key);
    if (entry)
        return entry;
    entry = enter_new(&table->shelf[shelf_of(key)], key, fault);
    table->used += entry != NULL;
    return entry;
}

/* The entries after the one removed move back by one, up to the first that is in its own slot. */
void memory_table_remove(struct memory_table *table, uint64_t key)
{
    struct memory_shelf *shelf = &table->shelf[shelf_of(key)];
    size_t at = seek(shelf, key), end = at + 1;
    if (at >= shelf->room || shelf->entry[at].key != key)
        return;
    while (end < shelf->room && shelf->entry[end].key &&
           home_of(shelf, shelf->entry[end].key) < end)
        end++;
    memmove(shelf->entry + at, shelf->entry + at + 1, (end - at - 1) * sizeof *shelf->entry);
    memset(shelf->entry + end - 1, 0, sizeof *shelf->entry);
    shelf->used--;
    table->used--;
}

int memory_table_reserve(struct memory_table *table, size_t count, struct fault *fault)
{
    size_t slots = count / MEMORY_SHELVES / 5 * 7 + 8;
    for (size_t i = 0; i < MEMORY_SHELVES; i++)
        if (table->shelf[i].slots < slots && rebuild(&table->shelf[i], slots, fault) < 0) return -1;
    return 0;
}

int memory_table_fill(struct memory_table *table, const struct memory_arrays *arrays,
                      struct fault *fault)
{
    if (memory_table_reserve(table, table->used + arrays->count, fault) < 0) return -1;
    for (size_t i = 0; i < arrays->count; i++) {
        uint64_t key = unaligned_u8(arrays->key + 8 * i);
        if (key == 0)
            return fault_data(fault, "model: key %zu of the memory is 0, but keys must be above 0",
                              i);
        uint64_t n = unaligned_u8(arrays->n + 8 * i);
        uint64_t sum = arrays->sum ? unaligned_u8(arrays->sum + 8 * i) : 0;
        if (!(n | sum)) {
            memory_table_remove(table, key);
            continue;
        }
        struct memory_entry *entry = memory_table_enter(table, key, fault);
        if (!entry) return -1;
        entry->bits[0] = n;
        entry->bits[1] = sum;
        entry->owner = arrays->owner ? unaligned_u8(arrays->owner + 8 * i) : 0;
    }
    return 0;
}

void memory_table_copy(const struct memory_table *table, struct memory_walk *walk, size_t offset,
                       void *out, size_t n)
{
    char *to = out, *end = to + 8 * n;
    for (; to < end && walk->shelf < MEMORY_SHELVES; walk->shelf++, walk->slot = 0) {
        const struct memory_shelf *shelf = &table->shelf[walk->shelf];
        size_t slot = walk->slot;
        for (; slot < shelf->room && to < end; slot++) {
            memcpy(to, (const char *)&shelf->entry[slot] + offset, 8);
            to += shelf->entry[slot].key ? 8 : 0;
        }
        walk->slot = slot;
        if (to == end)
            return;
    }
}

/* Up to n numbers from slots of one shelf into out[c] + i; how many. Whether a slot is empty cannot
 * be foretold, so what is read of one is written, and then written over. */
static inline size_t copy_slots(const struct memory_shelf *shelf, size_t *slot,
                                const size_t *offset, const size_t offsets, uint64_t *const *out,
                                size_t i, size_t n)
{
    enum { AHEAD = 1024 }; /* bytes: the processor itself fetches none of the next page */
    const size_t from = i;
    const struct memory_entry *at = shelf->entry + *slot, *end = shelf->entry + shelf->room;
    for (; at < end && i < n; at++) {
        __builtin_prefetch((const void *)((uintptr_t)at + AHEAD));
        for (size_t c = 0; c < offsets; c++) {
            uint64_t number;
            memcpy(&number, (const char *)at + offset[c], sizeof number);
            out[c][i] = number;
        }
        i += at->key != 0;
    }
    *slot = (size_t)(at - shelf->entry);
    return i - from;
}

void memory_table_numbers(const struct memory_table *table, struct memory_walk *walk,
                          const size_t *offset, size_t offsets, uint64_t *const *out, size_t n)
{
    enum { ALL = sizeof(struct memory_entry) / sizeof(uint64_t) };
    for (size_t i = 0; i < n && walk->shelf < MEMORY_SHELVES; walk->shelf++, walk->slot = 0) {
        const struct memory_shelf *shelf = &table->shelf[walk->shelf];
        if (!shelf->entry)
            continue;
        i += offsets == ALL ? copy_slots(shelf, &walk->slot, offset, ALL, out, i, n)
                            : copy_slots(shelf, &walk->slot, offset, offsets, out, i, n);
        if (i == n)
            return;
    }
}

const struct memory_entry *memory_table_next(const struct memory_table *table,
                                             struct memory_walk *walk)
{
    for (; walk->shelf < MEMORY_SHELVES; walk->shelf++, walk->slot = 0) {
        const struct memory_shelf *shelf = &table->shelf[walk->shelf];
        while (walk->slot < shelf->room)
            if (shelf->entry[walk->slot++].key)
                return &shelf->entry[walk->slot - 1];
    }
    return NULL;
}

struct memory_walk memory_table_walk(const struct memory_table *table, uint64_t key)
{
    size_t shelf = shelf_of(key);
    return (struct memory_walk){ shelf, seek(&table->shelf[shelf], key) };
}

void memory_table_close(struct memory_table *table)
{
    for (size_t i = 0; i < MEMORY_SHELVES; i++)
        free(table->shelf[i].entry);
}

/* ---- in a file ---- */

static uint64_t key_at(const struct memory_arrays *arrays, size_t i)
{
    uint64_t key;
    memcpy(&key, arrays->key + i * sizeof key, sizeof key);
    return key;
}

/* What is left to look at: entries from `from` up to `to`, whose keys are from `least` to
 * `most`. */
struct bracket {
    size_t from, to;
    uint64_t least, most;
};

/* The entry where evenly spread keys would have this one. */
static size_t guess(const struct bracket *b, uint64_t key)
{
    double part = (double)(key - b->least) / ((double)(b->most - b->least) + 1);
    size_t at = b->from + (size_t)(part * (double)(b->to - b->from));
    return at < b->to ? at : b->to - 1;
}

/* Looks at one entry: true where it has the key; else the bracket has lost it and one side. */
static bool narrow(const struct memory_arrays *arrays, struct bracket *b, size_t at, uint64_t key)
{
    uint64_t found = key_at(arrays, at);
    if (found < key) {
        b->from = at + 1;
        b->least = found;
    } else {
        b->to = at;
        b->most = found;
    }
    return found == key;
}

bool memory_arrays_find(const struct memory_arrays *arrays, uint64_t key,
                        struct memory_entry *entry)
{
    struct bracket b = { 0, arrays->count, 0, UINT64_MAX };
    for (int tries = 0; b.from < b.to; tries++) {
        size_t middle = b.from + (b.to - b.from) / 2;
        size_t at = tries < GUESSES ? guess(&b, key) : middle;
        if (!narrow(arrays, &b, at, key))
            continue;
        entry->key = key;
        entry->bits[0] = unaligned_u8(arrays->n + at * sizeof entry->n);
        entry->bits[1] = arrays->sum ? unaligned_u8(arrays->sum + at * sizeof entry->sum) : 0;
        entry->owner = arrays->owner ? unaligned_u8(arrays->owner + at * sizeof entry->owner) : 0;
        return true;
    }
    return false;
}
