/*
 * pair_table: it holds what was entered and nothing else, in the order of keys however they came, in
 * at most 48 bytes a pair; arrays in a file are looked up as the table is; and keys are hashes of what
 * they should be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn/pair_table.h"
#include "math/rng.h"

enum { PAIRS = 100000 };

static unsigned long wrong;

static void hold(bool right, const char *what, size_t at)
{
    if (!right && wrong++ < 20)
        fprintf(stderr, "pair_table: %s, at %zu\n", what, at);
}

static int rising(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static size_t bytes_of(const struct pair_table *table)
{
    size_t room = 0;
    for (size_t i = 0; i < PAIR_SHELVES; i++)
        room += table->shelf[i].room;
    return room * sizeof(struct pair);
}

static struct pair *enter(struct pair_table *table, uint64_t key)
{
    struct fault fault = { FAULT_NONE, "" };
    struct pair *pair = pair_table_enter(table, key, &fault);
    if (!pair) {
        fprintf(stderr, "%s\n", fault.text);
        exit(1);
    }
    return pair;
}

/* Entries are found again, each key once, and no key next to one of them. */
static void check_found(const struct pair_table *table, const uint64_t *keys, size_t n)
{
    hold(table->used == n, "used", table->used);
    for (size_t i = 0; i < n; i++) {
        const struct pair *pair = pair_table_find(table, keys[i]);
        hold(pair && pair->key == keys[i] && pair->n == (double)(keys[i] % 100) &&
             pair->sum == 0.5 * (double)(keys[i] % 1000), "an entry is lost or changed", i);
        hold(!pair_table_find(table, keys[i] ^ 1), "an entry that nobody entered", i);
    }
}

/* A walk meets the keys in their order. */
static void check_walk(const struct pair_table *table, uint64_t *keys, size_t n)
{
    struct pair_walk walk = { 0, 0 };
    qsort(keys, n, sizeof *keys, rising);
    for (size_t i = 0; i < n; i++) {
        const struct pair *pair = pair_table_next(table, &walk);
        hold(pair && pair->key == keys[i], "a walk out of order", i);
    }
    hold(!pair_table_next(table, &walk), "a walk goes on after the end", n);
}

/* The table as arrays at an odd address. */
static void check_arrays(const struct pair_table *table, const uint64_t *keys, size_t n)
{
    unsigned char *bytes = malloc(24 * n + 1);
    struct pair_arrays arrays = { bytes + 1, bytes + 1 + 8 * n, bytes + 1 + 16 * n, n };
    const struct pair *pair;
    struct pair_walk walk = { 0, 0 };
    for (unsigned char *at = bytes + 1; (pair = pair_table_next(table, &walk)); at += 8) {
        memcpy(at, &pair->key, 8);
        memcpy(at + 8 * n, &pair->n, 8);
        memcpy(at + 16 * n, &pair->sum, 8);
    }
    for (size_t i = 0; i < n; i++) {
        struct pair got = { 0, 0, 0 }, none = got;
        hold(pair_arrays_find(&arrays, keys[i], &got) && got.key == keys[i] &&
             got.n == (double)(keys[i] % 100) && got.sum == 0.5 * (double)(keys[i] % 1000),
             "an entry of the arrays is lost", i);
        hold(!pair_arrays_find(&arrays, keys[i] ^ 1, &none) && none.key == 0,
             "an entry of the arrays that nobody entered", i);
    }
    free(bytes);
}

/* n pairs in two orders, entered twice; keys of which no two differ in the last bit alone. */
static void check_table(struct rng *rng, size_t n, bool reserve)
{
    struct fault fault = { FAULT_NONE, "" };
    static struct pair_table none;
    struct pair_table table = none, back = none;
    uint64_t *keys = malloc((n + 1) * sizeof *keys);
    for (size_t i = 0; i < n; i++)
        keys[i] = rng_bits(rng) | 1;
    if (n > 3) {
        keys[0] = UINT64_MAX;
        keys[1] = 1;
        keys[2] = UINT64_MAX - 2;
    }
    hold(!reserve || pair_table_reserve(&table, n, &fault) == 0, "no room", n);
    for (size_t i = 0; i < 2 * n; i++) {
        struct pair *pair = enter(&table, keys[i % n]);
        hold(pair->key == keys[i % n], "an entry with another key", i);
        hold(i >= n || (pair->n == 0 && pair->sum == 0), "a new entry that is not 0", i);
        pair->n = (double)(pair->key % 100);
        pair->sum = 0.5 * (double)(pair->key % 1000);
        hold(reserve || bytes_of(&table) <= 48 * table.used + 65536, "more than 48 bytes a pair", i);
    }
    for (size_t i = n; i > 0; i--)
        (void)enter(&back, keys[i - 1]);
    check_found(&table, keys, n);
    check_walk(&table, keys, n);
    check_walk(&back, keys, n);
    check_arrays(&table, keys, n);
    pair_table_close(&table);
    pair_table_close(&back);
    free(keys);
}

/* Keys that are no hashes come to an end soon, as a fault. */
static void check_crowd(void)
{
    static struct pair_table table;
    struct fault fault = { FAULT_NONE, "" };
    size_t n = 0;
    while (n < 10 * PAIRS && pair_table_enter(&table, UINT64_MAX - n, &fault))
        n++;
    hold(fault.kind == FAULT_DATA && n > 1000, "a crowd of keys", n);
    hold(table.used == n, "a crowd of keys, used", table.used);
    pair_table_close(&table);
}

/* Arrays in no order are looked up as fast: it returns. */
static void check_disorder(struct rng *rng)
{
    static uint64_t keys[PAIRS];
    static double zeros[PAIRS];
    const struct pair_arrays arrays = { (unsigned char *)keys, (unsigned char *)zeros,
                                        (unsigned char *)zeros, PAIRS };
    struct pair pair;
    for (size_t i = 0; i < PAIRS; i++)
        keys[i] = rng_bits(rng) | 1;
    for (size_t i = 0; i < PAIRS; i++)
        hold(!pair_arrays_find(&arrays, rng_bits(rng) << 1, &pair), "found, but is not there", i);
    for (size_t i = 0; i < PAIRS; i++)
        keys[i] = i % 2 ? 3 : UINT64_MAX;
    for (uint64_t i = 0; i < 64; i++)
        hold(!pair_arrays_find(&arrays, (uint64_t)1 << i | 4, &pair), "found in disorder", i);
}

/* A key depends on both names and on the secret, by SipHash of qid, NUL, kind and name. */
static void check_keys(void)
{
    struct siphash a = pair_query(1, 2, "10"), b = pair_query(1, 2, "101"),
                   c = pair_query(1, 3, "10"), d = pair_query(2, 2, "10");
    static const char text[] = "10\0nGX01", row[] = "10\0r\1\0\0";
    struct siphash whole = siphash_start(1, 2), rows = whole;
    uint32_t one = 1;
    siphash_add(&whole, text, sizeof text - 1);
    siphash_add(&rows, row, sizeof row);
    hold(pair_key_name(&a, "GX01", 4) == siphash_end(&whole), "the key of a name", 0);
    hold(pair_key_row(&a, 1) == siphash_end(&rows), "the key of a row", 0);
    uint64_t keys[] = { pair_key_name(&a, "1", 1), pair_key_name(&b, "", 0),
                        pair_key_name(&b, "1", 1), pair_key_name(&c, "1", 1),
                        pair_key_name(&d, "1", 1), pair_key_name(&a, "", 0), pair_key_row(&a, 1),
                        pair_key_name(&a, &one, 4), pair_key_row(&b, 1), pair_key_row(&a, 2) };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        for (size_t j = 0; j < i; j++)
            hold(keys[i] != keys[j] && keys[i], "one key for two pairs", i);
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
    check_disorder(&rng);
    check_keys();
    if (wrong)
        fprintf(stderr, "pair_table: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
