/*
 * memory_table: it holds what was entered and nothing else, in the order of keys however they came,
 * in at most 64 bytes a pair, also after others were removed; and arrays in a file are looked up as
 * the table is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/memory_table.h"
#include "math/rng.h"

enum { PAIRS = 100000 };

static unsigned long wrong;

static void hold(bool right, const char *what, size_t at)
{
    if (!right && wrong++ < 20)
        fprintf(stderr, "memory_table: %s, at %zu\n", what, at);
}

static int rising(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static size_t bytes_of(const struct memory_table *table)
{
    size_t room = 0;
    for (size_t i = 0; i < MEMORY_SHELVES; i++)
        room += table->shelf[i].room;
    return room * sizeof(struct memory_entry);
}

static struct memory_entry *enter(struct memory_table *table, uint64_t key)
{
    struct fault fault = { FAULT_NONE, "" };
    struct memory_entry *entry = memory_table_enter(table, key, &fault);
    if (!entry) {
        fprintf(stderr, "%s\n", fault.text);
        exit(1);
    }
    return entry;
}

/* Entries are found again, each key once, and no key next to one of them. */
static void check_found(const struct memory_table *table, const uint64_t *keys, size_t n)
{
    hold(table->used == n, "used", table->used);
    for (size_t i = 0; i < n; i++) {
        const struct memory_entry *entry = memory_table_find(table, keys[i]);
        hold(entry && entry->key == keys[i] && entry->n == (double)(keys[i] % 100) &&
             entry->sum == 0.5 * (double)(keys[i] % 1000), "an entry is lost or changed", i);
        hold(!memory_table_find(table, keys[i] ^ 1), "an entry that nobody entered", i);
    }
}

/* A walk meets the keys in their order. */
static void check_walk(const struct memory_table *table, uint64_t *keys, size_t n)
{
    struct memory_walk walk = { 0, 0 };
    qsort(keys, n, sizeof *keys, rising);
    for (size_t i = 0; i < n; i++) {
        const struct memory_entry *entry = memory_table_next(table, &walk);
        hold(entry && entry->key == keys[i], "a walk out of order", i);
    }
    hold(!memory_table_next(table, &walk), "a walk goes on after the end", n);
}

/* The table as arrays at an odd address. */
static void check_arrays(const struct memory_table *table, const uint64_t *keys, size_t n)
{
    unsigned char *bytes = malloc(24 * n + 1);
    struct memory_arrays arrays = { bytes + 1, bytes + 1 + 8 * n, bytes + 1 + 16 * n, NULL, n };
    const struct memory_entry *entry;
    struct memory_walk walk = { 0, 0 };
    for (unsigned char *at = bytes + 1; (entry = memory_table_next(table, &walk)); at += 8) {
        memcpy(at, &entry->key, 8);
        memcpy(at + 8 * n, &entry->n, 8);
        memcpy(at + 16 * n, &entry->sum, 8);
    }
    for (size_t i = 0; i < n; i++) {
        struct memory_entry got = { .key = 0 }, none = got;
        hold(memory_arrays_find(&arrays, keys[i], &got) && got.key == keys[i] &&
             got.n == (double)(keys[i] % 100) && got.sum == 0.5 * (double)(keys[i] % 1000),
             "an entry of the arrays is lost", i);
        hold(!memory_arrays_find(&arrays, keys[i] ^ 1, &none) && none.key == 0,
             "an entry of the arrays that nobody entered", i);
    }
    free(bytes);
}

/* n pairs in two orders, entered twice; keys of which no two differ in the last bit alone. */
static void check_table(struct rng *rng, size_t n, bool reserve)
{
    struct fault fault = { FAULT_NONE, "" };
    static struct memory_table none;
    struct memory_table table = none, back = none;
    uint64_t *keys = malloc((n + 1) * sizeof *keys);
    for (size_t i = 0; i < n; i++)
        keys[i] = rng_bits(rng) | 1;
    if (n > 3) {
        keys[0] = UINT64_MAX;
        keys[1] = 1;
        keys[2] = UINT64_MAX - 2;
    }
    hold(!reserve || memory_table_reserve(&table, n, &fault) == 0, "no room", n);
    for (size_t i = 0; i < 2 * n; i++) {
        struct memory_entry *entry = enter(&table, keys[i % n]);
        hold(entry->key == keys[i % n], "an entry with another key", i);
        hold(i >= n || (entry->n == 0 && entry->sum == 0), "a new entry that is not 0", i);
        entry->n = (double)(entry->key % 100);
        entry->sum = 0.5 * (double)(entry->key % 1000);
        hold(reserve || bytes_of(&table) <= 64 * table.used + 65536, "too many bytes a pair", i);
    }
    for (size_t i = n; i > 0; i--)
        (void)enter(&back, keys[i - 1]);
    check_found(&table, keys, n);
    check_walk(&table, keys, n);
    check_walk(&back, keys, n);
    check_arrays(&table, keys, n);
    memory_table_close(&table);
    memory_table_close(&back);
    free(keys);
}

/* Keys that are no hashes come to an end soon, as a fault. */
static void check_crowd(void)
{
    static struct memory_table table;
    struct fault fault = { FAULT_NONE, "" };
    size_t n = 0;
    while (n < 10 * PAIRS && memory_table_enter(&table, UINT64_MAX - n, &fault))
        n++;
    hold(fault.kind == FAULT_DATA && n > 1000, "a crowd of keys", n);
    hold(table.used == n, "a crowd of keys, used", table.used);
    memory_table_close(&table);
}

/* Arrays in no order are looked up as fast: it returns. */
static void check_disorder(struct rng *rng)
{
    static uint64_t keys[PAIRS];
    static double zeros[PAIRS];
    const struct memory_arrays arrays = { (unsigned char *)keys, (unsigned char *)zeros,
                                        (unsigned char *)zeros, NULL, PAIRS };
    struct memory_entry entry;
    for (size_t i = 0; i < PAIRS; i++)
        keys[i] = rng_bits(rng) | 1;
    for (size_t i = 0; i < PAIRS; i++)
        hold(!memory_arrays_find(&arrays, rng_bits(rng) << 1, &entry), "found, not there", i);
    for (size_t i = 0; i < PAIRS; i++)
        keys[i] = i % 2 ? 3 : UINT64_MAX;
    for (uint64_t i = 0; i < 64; i++)
        hold(!memory_arrays_find(&arrays, (uint64_t)1 << i | 4, &entry), "found in disorder", i);
}

/* A table from which half of its keys are removed is the table of the others. */
static void check_removed(struct rng *rng)
{
    static uint64_t keys[PAIRS];
    struct memory_table table;
    size_t left = 0;
    memset(&table, 0, sizeof table);
    for (size_t i = 0; i < PAIRS; i++) {
        keys[i] = rng_bits(rng) << 1 | 2;
        struct memory_entry *entry = enter(&table, keys[i]);
        entry->n = (double)(keys[i] % 100);
        entry->sum = 0.5 * (double)(keys[i] % 1000);
    }
    for (size_t i = 0; i < PAIRS; i++) {
        memory_table_remove(&table, keys[i] ^ 1); /* which is not there */
        if (rng_bits(rng) % 2)
            memory_table_remove(&table, keys[i]);
        else
            keys[left++] = keys[i];
    }
    check_found(&table, keys, left);
    check_walk(&table, keys, left);
    for (size_t i = 0; i < left; i++)
        memory_table_remove(&table, keys[i]);
    hold(table.used == 0, "used", table.used);
    memory_table_close(&table);
}

int main(void)
{
    static const size_t sizes[] = { 0, 1, 2, 3, 10, 100, 1000, 5000, PAIRS };
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_table(&rng, sizes[i], false);
        check_table(&rng, sizes[i], true);
    }
    check_crowd();
    check_removed(&rng);
    check_disorder(&rng);
    if (wrong)
        fprintf(stderr, "memory_table: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
