#include "memory/memory_eviction.h"

#include "math/rng.h"
#include "memory/memory_beliefs.h"

/* What is added to the height of an answer, which is from 0 to 1. */
static const double low_part = 1.0 / 32;

/* The query of a pair; NULL where it is not known. */
static const struct memory_entry *query_of(const struct memory_eviction *bound,
                                           const struct memory_entry *pair)
{
    const struct memory_table *queries = &bound->tables->table[MEMORY_QUERIES];
    return pair->owner ? memory_table_find(queries, pair->owner) : NULL;
}

/* u / (now + u age) of a query, or of one that is not known. */
static double rate_of(const struct memory_eviction *bound, const struct memory_entry *query)
{
    double u = query ? query->n : 1, age = query ? bound->now - query->sum : bound->now;
    return u / (bound->now + u * age);
}

double memory_eviction_worth(const struct memory_eviction *bound, const struct memory_entry *pair)
{
    const struct memory_prospect *prospect = &bound->prospect;
    double known = bound->rho * pair->n / (1 + bound->rho * pair->n);
    double mean = pair->n > 0 ? pair->sum / pair->n : prospect->lo;
    double range = prospect->hi > prospect->lo ? prospect->hi - prospect->lo : 1;
    double height = (mean - prospect->lo) / range;
    return rate_of(bound, query_of(bound, pair)) * known * (height + low_part);
}

/* The entries that follow a key, up to MEMORY_COMPARED: how many. */
static size_t following(const struct memory_table *table, uint64_t key,
                        const struct memory_entry *entry[MEMORY_COMPARED])
{
    struct memory_walk walk = memory_table_walk(table, key), none = { 0, 0 };
    size_t n = 0;
    for (; n < MEMORY_COMPARED && n < table->used; n++) {
        entry[n] = memory_table_next(table, &walk);
        if (!entry[n]) {
            walk = none;
            entry[n] = memory_table_next(table, &walk);
        }
    }
    return n;
}

/* Of the pairs that follow a key, the one of least worth, the first of several; 0: there are no
 * pairs. */
static uint64_t find_least(const struct memory_eviction *bound, uint64_t key)
{
    const struct memory_entry *pair[MEMORY_COMPARED];
    size_t n = following(&bound->tables->table[MEMORY_PAIRS], key, pair), at = 0;
    double least = 0;
    for (size_t i = 0; i < n; i++) {
        double worth = memory_eviction_worth(bound, pair[i]);
        if (i > 0 && worth >= least)
            continue;
        least = worth;
        at = i;
    }
    return n > 0 ? pair[at]->key : 0;
}

/* Of the queries that follow a key, the one that will come least often; 0: there are none. */
static uint64_t find_rarest(const struct memory_eviction *bound, uint64_t key)
{
    const struct memory_entry *query[MEMORY_COMPARED];
    size_t n = following(&bound->tables->table[MEMORY_QUERIES], key, query), at = 0;
    for (size_t i = 1; i < n; i++)
        if (rate_of(bound, query[i]) < rate_of(bound, query[at]))
            at = i;
    return n > 0 ? query[at]->key : 0;
}

/* Drops a pair, which is there, and keeps a slot of it. *query is the key of its query, 0 where
 * that is not known. 0 or a fault (memory). */
static int drop_pair(const struct memory_eviction *bound, uint64_t key, uint64_t *query,
                     struct fault *fault)
{
    struct memory_table *table = bound->tables->table;
    const struct memory_entry *pair = memory_table_find(&table[MEMORY_PAIRS], key);
    *query = query_of(bound, pair) ? pair->owner : 0;
    bool high = pair->sum > bound->prospect.a * pair->n;
    memory_table_remove(&table[MEMORY_PAIRS], key);
    return *query ? memory_dropped_mark(&table[MEMORY_DROPPED], *query, key, high, fault) : 0;
}

/* Removes a pair, or a query with its slots and clients, whose pairs stay. What it gained this day
 * stays, too: else it could gain again. */
static void forget(const struct memory_eviction *bound, enum memory_kind kind, uint64_t key)
{
    memory_table_remove(&bound->tables->table[kind], key);
    for (size_t other = MEMORY_DROPPED; kind == MEMORY_QUERIES && other < MEMORY_GAINS; other++)
        memory_table_remove(&bound->tables->table[other], key);
}

static void forget_noted(const struct memory_eviction *bound, enum memory_kind kind, uint64_t key)
{
    forget(bound, kind, key);
    memory_tables_note(bound->tables, kind, key);
    for (size_t other = MEMORY_DROPPED; kind == MEMORY_QUERIES && other < MEMORY_GAINS; other++)
        memory_tables_note(bound->tables, (enum memory_kind)other, key);
}

size_t memory_eviction_notes(size_t docs)
{
    return docs + MEMORY_COMPARED + 1;
}

/* Makes room for the entry of a key, which is new. 0 or a fault. */
static int make_way(const struct memory_eviction *bound, enum memory_kind kind, uint64_t key,
                    struct fault *fault)
{
    uint64_t query, least;
    if (kind == MEMORY_QUERIES) {
        forget_noted(bound, kind, find_rarest(bound, key));
        return 0;
    }
    least = find_least(bound, key);
    if (drop_pair(bound, least, &query, fault) < 0) return -1;
    memory_tables_note(bound->tables, MEMORY_PAIRS, least);
    if (query)
        memory_tables_note(bound->tables, MEMORY_DROPPED, query);
    return 0;
}

struct memory_entry *memory_eviction_enter(const struct memory_eviction *bound,
                                           enum memory_kind kind, uint64_t key,
                                           struct fault *fault)
{
    struct memory_table *table = &bound->tables->table[kind];
    bool full = bound->pairs > 0 && (double)table->used >= bound->pairs;
    if (full && !memory_table_find(table, key) && make_way(bound, kind, key, fault) < 0)
        return NULL;
    return memory_table_enter(table, key, fault);
}

static bool is_old(const struct memory_eviction *bound, enum memory_kind kind,
                   const struct memory_entry *entry)
{
    const struct memory_entry *query = kind == MEMORY_PAIRS ? query_of(bound, entry) : entry;
    return query ? bound->now - query->sum > bound->age : entry->owner != 0;
}

static struct rng draws(const struct memory_eviction *bound)
{
    return rng_at(bound->seed, RNG_MEMORY, (uint64_t)bound->now);
}

void memory_eviction_age(const struct memory_eviction *bound)
{
    struct rng rng = draws(bound);
    if (!(bound->age > 0))
        return;
    for (enum memory_kind kind = MEMORY_PAIRS; kind <= MEMORY_QUERIES; kind++) {
        const struct memory_entry *entry[MEMORY_COMPARED];
        uint64_t old[MEMORY_COMPARED];
        size_t n = following(&bound->tables->table[kind], rng_bits(&rng), entry), found = 0;
        for (size_t i = 0; i < n; i++)
            if (is_old(bound, kind, entry[i]))
                old[found++] = entry[i]->key;
        for (size_t i = 0; i < found; i++)
            forget_noted(bound, kind, old[i]);
    }
}

int memory_eviction_keep(const struct memory_eviction *bound, struct fault *fault)
{
    struct rng rng = draws(bound);
    struct memory_table *table = bound->tables->table;
    uint64_t query;
    if (!(bound->pairs > 0))
        return 0;
    while ((double)table[MEMORY_PAIRS].used > bound->pairs)
        if (drop_pair(bound, find_least(bound, rng_bits(&rng)), &query, fault) < 0) return -1;
    while ((double)table[MEMORY_QUERIES].used > bound->pairs)
        forget(bound, MEMORY_QUERIES, find_rarest(bound, rng_bits(&rng)));
    return 0;
}

/* The key of the first pair of a query whose key is at least `from`; 0: there is none. */
static uint64_t next_of(const struct memory_eviction *bound, uint64_t query, uint64_t from)
{
    struct memory_walk walk = memory_table_walk(&bound->tables->table[MEMORY_PAIRS], from);
    const struct memory_entry *pair;
    while ((pair = memory_table_next(&bound->tables->table[MEMORY_PAIRS], &walk)))
        if (pair->owner == query)
            return pair->key;
    return 0;
}

uint64_t memory_eviction_forget(const struct memory_eviction *bound, const struct memory_keys *keys,
                             bool query)
{
    struct memory_table *pairs = &bound->tables->table[MEMORY_PAIRS];
    uint64_t owner = memory_key_query(&keys->query), key = 0, before = pairs->used, slots = 0;
    for (size_t i = 0; i < keys->documents.docs; i++) {
        uint64_t pair = memory_keys_of(keys, i);
        memory_table_remove(pairs, pair);
        slots += memory_dropped_clear(&bound->tables->table[MEMORY_DROPPED], owner, pair);
    }
    while (query && (key = next_of(bound, owner, key)))
        memory_table_remove(pairs, key);
    if (query) {
        forget(bound, MEMORY_QUERIES, owner);
        memory_table_remove(&bound->tables->table[MEMORY_GAINS], owner);
    }
    return before - pairs->used + slots;
}
