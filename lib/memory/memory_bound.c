#include "memory/memory_bound.h"

#include "math/rng.h"

static struct memory_entry *query_of(const struct memory_bound *bound,
                                     const struct memory_entry *pair)
{
    return pair->owner ? memory_table_find(bound->queries, pair->owner) : NULL;
}

double memory_bound_worth(const struct memory_bound *bound, const struct memory_entry *pair)
{
    const struct memory_entry *query = query_of(bound, pair);
    double u = query ? query->n : 1, age = query ? bound->now - query->sum : bound->now;
    double known = bound->rho * pair->n / (1 + bound->rho * pair->n);
    return u / (bound->now + u * age) * known;
}

/* The pairs that follow a key, up to MEMORY_COMPARED: how many. */
static size_t following(const struct memory_bound *bound, uint64_t key,
                        const struct memory_entry *pair[MEMORY_COMPARED])
{
    struct memory_walk walk = memory_table_walk(bound->pairs, key), none = { 0, 0 };
    size_t n = 0, most = bound->pairs->used;
    for (; n < MEMORY_COMPARED && n < most; n++) {
        pair[n] = memory_table_next(bound->pairs, &walk);
        if (!pair[n]) {
            walk = none;
            pair[n] = memory_table_next(bound->pairs, &walk);
        }
    }
    return n;
}

uint64_t memory_bound_least(const struct memory_bound *bound, uint64_t key)
{
    const struct memory_entry *pair[MEMORY_COMPARED];
    size_t n = following(bound, key, pair);
    uint64_t least_key = 0;
    double least = 0;
    for (size_t i = 0; i < n; i++) {
        double worth = memory_bound_worth(bound, pair[i]);
        if (i > 0 && worth >= least)
            continue;
        least = worth;
        least_key = pair[i]->key;
    }
    return least_key;
}

size_t memory_bound_old(const struct memory_bound *bound, uint64_t seed, double age,
                        uint64_t *old)
{
    struct rng rng = rng_at(seed, RNG_MEMORY, (uint64_t)bound->now);
    const struct memory_entry *pair[MEMORY_COMPARED];
    size_t n = following(bound, rng_bits(&rng), pair), found = 0;
    for (size_t i = 0; i < n; i++) {
        const struct memory_entry *query = query_of(bound, pair[i]);
        if (query && bound->now - query->sum > age)
            old[found++] = pair[i]->key;
    }
    return found;
}

uint64_t memory_bound_next(const struct memory_bound *bound, uint64_t query, uint64_t from)
{
    struct memory_walk walk = memory_table_walk(bound->pairs, from);
    const struct memory_entry *pair;
    while ((pair = memory_table_next(bound->pairs, &walk)))
        if (pair->owner == query)
            return pair->key;
    return 0;
}

uint64_t memory_bound_remove(const struct memory_bound *bound, uint64_t key)
{
    const struct memory_entry *pair = memory_table_find(bound->pairs, key);
    struct memory_entry *query = pair ? query_of(bound, pair) : NULL;
    bool last = query && --query->owner == 0 && query->key != bound->current;
    uint64_t gone = last ? query->key : 0;
    memory_table_remove(bound->pairs, key);
    if (gone)
        memory_table_remove(bound->queries, gone);
    return gone;
}

void memory_bound_keep(const struct memory_bound *bound, double most, uint64_t seed)
{
    struct rng rng = rng_at(seed, RNG_MEMORY, (uint64_t)bound->now);
    while ((double)bound->pairs->used > most)
        (void)memory_bound_remove(bound, memory_bound_least(bound, rng_bits(&rng)));
}

/* Removes a pair: how many there were of it. */
static uint64_t forget(const struct memory_bound *bound, uint64_t key)
{
    bool there = memory_table_find(bound->pairs, key) != NULL;
    (void)memory_bound_remove(bound, key);
    return there;
}

uint64_t memory_bound_forget(const struct memory_bound *bound, const struct memory_keys *keys,
                             bool query)
{
    uint64_t owner = memory_key_query(&keys->query), key = 0, count = 0;
    for (size_t i = 0; i < keys->documents.docs; i++)
        count += forget(bound, memory_keys_of(keys, i));
    while (query && (key = memory_bound_next(bound, owner, key)))
        count += forget(bound, key);
    if (query)
        memory_table_remove(bound->queries, owner);
    return count;
}

void memory_bound_own(const struct memory_bound *bound, struct memory_entry *pair, uint64_t query)
{
    struct memory_entry *owner = memory_table_find(bound->queries, query);
    if (pair->owner == query || !owner)
        return;
    pair->owner = query;
    owner->owner++;
}

void memory_bound_count(const struct memory_bound *bound)
{
    struct memory_walk walk = { 0, 0 };
    const struct memory_entry *pair;
    while ((pair = memory_table_next(bound->pairs, &walk))) {
        struct memory_entry *query = query_of(bound, pair);
        if (query)
            query->owner++;
    }
}
