#include "memory/memory_sum.h"

#include <math.h>

/* How many keys both have. */
static size_t count_shared(const struct memory_table *table, const struct memory_table *share)
{
    struct memory_walk walk = { 0, 0 };
    const struct memory_entry *entry;
    size_t n = 0;
    while ((entry = memory_table_next(share, &walk)))
        n += memory_table_find(table, entry->key) != NULL;
    return n;
}

static int add_pairs(struct memory_table *pairs, const struct memory_table *share,
                     struct fault *fault)
{
    struct memory_walk walk = { 0, 0 };
    const struct memory_entry *entry;
    while ((entry = memory_table_next(share, &walk))) {
        struct memory_entry *sum = memory_table_enter(pairs, entry->key, fault);
        if (!sum)
            return -1;
        *sum = *entry;
    }
    return 0;
}

/* The numbers of last rounds grow as those of all rounds do. */
static void stretch(struct memory_table *queries, double by)
{
    struct memory_walk walk = { 0, 0 };
    const struct memory_entry *entry;
    while ((entry = memory_table_next(queries, &walk)))
        memory_table_find(queries, entry->key)->sum = ceil(entry->sum * by);
}

static int add_queries(struct memory_table *queries, const struct memory_table *share, double by,
                       struct fault *fault)
{
    struct memory_walk walk = { 0, 0 };
    const struct memory_entry *entry;
    while ((entry = memory_table_next(share, &walk))) {
        struct memory_entry *sum = memory_table_enter(queries, entry->key, fault);
        if (!sum)
            return -1;
        double latest = ceil(entry->sum * by);
        sum->n += entry->n;
        sum->sum = latest > sum->sum ? latest : sum->sum;
        sum->owner += entry->owner;
    }
    return 0;
}

int memory_sum_add(const struct memory_tables *tables, const struct memory_tables *share,
                   struct fault *fault)
{
    double all = tables->rounds + share->rounds;
    size_t shared = count_shared(tables->pairs, share->pairs);
    if (shared > 0)
        return fault_data(fault, "%zu of its %zu pairs of query and document are in the models "
                          "before it, too: learn all rounds of a query in one share, as update -i "
                          "does", shared, share->pairs->used);
    if (memory_table_reserve(tables->pairs, tables->pairs->used + share->pairs->used, fault) < 0 ||
        add_pairs(tables->pairs, share->pairs, fault) < 0)
        return -1;
    if (tables->rounds > 0)
        stretch(tables->queries, all / tables->rounds);
    return add_queries(tables->queries, share->queries,
                       share->rounds > 0 ? all / share->rounds : 1, fault);
}
