#include "memory/memory_bound.h"

#include "memory/memory_dropped.h"

/* What is added to the height of an answer, which is from 0 to 1. */
static const double low_part = 1.0 / 32;

/* The query of a pair; NULL where it is not known. */
static const struct memory_entry *query_of(const struct memory_bound *bound,
                                           const struct memory_entry *pair)
{
    return pair->owner ? memory_table_find(&bound->table[MEMORY_QUERIES], pair->owner) : NULL;
}

/* u / (now + u age) of a query, or of one that is not known. */
static double rate_of(const struct memory_bound *bound, const struct memory_entry *query)
{
    double u = query ? query->n : 1, age = query ? bound->now - query->sum : bound->now;
    return u / (bound->now + u * age);
}

double memory_bound_worth(const struct memory_bound *bound, const struct memory_entry *pair)
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

uint64_t memory_bound_least(const struct memory_bound *bound, uint64_t key)
{
    const struct memory_entry *pair[MEMORY_COMPARED];
    size_t n = following(&bound->table[MEMORY_PAIRS], key, pair), at = 0;
    double least = 0;
    for (size_t i = 0; i < n; i++) {
        double worth = memory_bound_worth(bound, pair[i]);
        if (i > 0 && worth >= least)
            continue;
        least = worth;
        at = i;
    }
    return n > 0 ? pair[at]->key : 0;
}

uint64_t memory_bound_rarest(const struct memory_bound *bound, uint64_t key)
{
    const struct memory_entry *query[MEMORY_COMPARED];
    size_t n = following(&bound->table[MEMORY_QUERIES], key, query), at = 0;
    for (size_t i = 1; i < n; i++)
        if (rate_of(bound, query[i]) < rate_of(bound, query[at]))
            at = i;
    return n > 0 ? query[at]->key : 0;
}

int memory_bound_drop(const struct memory_bound *bound, uint64_t key, uint64_t *query,
                      struct fault *fault)
{
    const struct memory_entry *pair = memory_table_find(&bound->table[MEMORY_PAIRS], key);
    *query = query_of(bound, pair) ? pair->owner : 0;
    bool high = pair->sum > bound->prospect.a * pair->n;
    memory_table_remove(&bound->table[MEMORY_PAIRS], key);
    return *query ? memory_dropped_mark(&bound->table[MEMORY_DROPPED], *query, key, high, fault)
                  : 0;
}

size_t memory_bound_old(const struct memory_bound *bound, enum memory_kind kind, uint64_t key,
                        double age, uint64_t *old)
{
    const struct memory_entry *entry[MEMORY_COMPARED];
    size_t n = following(&bound->table[kind], key, entry), found = 0;
    for (size_t i = 0; i < n; i++) {
        bool pair = kind == MEMORY_PAIRS;
        const struct memory_entry *query = pair ? query_of(bound, entry[i]) : entry[i];
        if (query ? bound->now - query->sum > age : entry[i]->owner != 0)
            old[found++] = entry[i]->key;
    }
    return found;
}

int memory_bound_keep(const struct memory_bound *bound, double most, struct rng *rng,
                      struct fault *fault)
{
    uint64_t query;
    while ((double)bound->table[MEMORY_PAIRS].used > most)
        if (memory_bound_drop(bound, memory_bound_least(bound, rng_bits(rng)), &query, fault) < 0)
            return -1;
    while ((double)bound->table[MEMORY_QUERIES].used > most)
        memory_bound_forget_key(bound, MEMORY_QUERIES, memory_bound_rarest(bound, rng_bits(rng)));
    return 0;
}

/* The key of the first pair of a query whose key is at least `from`; 0: there is none. */
static uint64_t next_of(const struct memory_bound *bound, uint64_t query, uint64_t from)
{
    struct memory_walk walk = memory_table_walk(&bound->table[MEMORY_PAIRS], from);
    const struct memory_entry *pair;
    while ((pair = memory_table_next(&bound->table[MEMORY_PAIRS], &walk)))
        if (pair->owner == query)
            return pair->key;
    return 0;
}

void memory_bound_forget_key(const struct memory_bound *bound, enum memory_kind kind, uint64_t key)
{
    memory_table_remove(&bound->table[kind], key);
    if (kind == MEMORY_QUERIES)
        memory_table_remove(&bound->table[MEMORY_DROPPED], key);
}

uint64_t memory_bound_forget(const struct memory_bound *bound, const struct memory_keys *keys,
                             bool query)
{
    struct memory_table *pairs = &bound->table[MEMORY_PAIRS];
    uint64_t owner = memory_key_query(&keys->query), key = 0, before = pairs->used, slots = 0;
    for (size_t i = 0; i < keys->documents.docs; i++) {
        uint64_t pair = memory_keys_of(keys, i);
        memory_table_remove(pairs, pair);
        slots += memory_dropped_clear(&bound->table[MEMORY_DROPPED], owner, pair);
    }
    while (query && (key = next_of(bound, owner, key)))
        memory_table_remove(pairs, key);
    if (query)
        memory_bound_forget_key(bound, MEMORY_QUERIES, owner);
    return before - pairs->used + slots;
}
