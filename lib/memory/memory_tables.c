#include "memory/memory_tables.h"

#include <math.h>

#include "memory/memory_dropped.h"

int memory_tables_round(struct memory_tables *tables, size_t most, struct fault *fault)
{
    uint64_t *key = buffer_for(&tables->changes, most, MEMORY_KINDS * sizeof *key, fault);
    if (!key) return -1;
    for (size_t kind = 0; kind < MEMORY_KINDS; kind++) {
        tables->changed[kind] = key + kind * most;
        tables->n_changed[kind] = 0;
    }
    return 0;
}

void memory_tables_note(struct memory_tables *tables, enum memory_kind kind, uint64_t key)
{
    tables->changed[kind][tables->n_changed[kind]++] = key;
}

int memory_tables_put(struct memory_tables *tables, bool changes, struct model *model,
                      struct fault *fault)
{
    int put = 0;
    for (size_t i = 0; i < MEMORY_KINDS && put == 0; i++) {
        struct buffer *columns = &tables->columns[i];
        struct memory_table *table = &tables->table[i];
        put = changes ? memory_columns_put_some(columns, i, table, tables->changed[i],
                                                tables->n_changed[i], model, fault)
                      : memory_columns_put(columns, i, table, model, fault);
    }
    return put;
}

int memory_tables_load(struct memory_tables *tables, const struct model *model,
                       struct memory_arrays *pairs, struct fault *fault)
{
    struct memory_arrays others;
    for (size_t i = 0; i < MEMORY_KINDS; i++)
        if (memory_columns_load(model, i, &tables->table[i], i == MEMORY_PAIRS ? pairs : &others,
                                fault) < 0)
            return -1;
    return 0;
}

void memory_tables_close(struct memory_tables *tables)
{
    buffer_free(&tables->changes);
    for (size_t i = 0; i < MEMORY_KINDS; i++) {
        memory_table_close(&tables->table[i]);
        buffer_free(&tables->columns[i]);
    }
}

/* ---- shares of a log ---- */

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
        if (!sum) return -1;
        *sum = *entry;
    }
    return 0;
}

/* The number of a last round among `all` rounds, when it was one of `rounds`. */
static double stretched(double last, double rounds, double all)
{
    double number = ceil(last * (all / rounds));
    return number < all ? number : all;
}

/* The numbers of last rounds grow as those of all rounds do. */
static void stretch(struct memory_table *queries, double rounds, double all)
{
    struct memory_walk walk = { 0, 0 };
    const struct memory_entry *entry;
    while ((entry = memory_table_next(queries, &walk)))
        memory_table_find(queries, entry->key)->sum = stretched(entry->sum, rounds, all);
}

static int add_queries(struct memory_table *queries, const struct memory_table *share,
                       double rounds, double all, struct fault *fault)
{
    struct memory_walk walk = { 0, 0 };
    const struct memory_entry *entry;
    while ((entry = memory_table_next(share, &walk))) {
        struct memory_entry *sum = memory_table_enter(queries, entry->key, fault);
        if (!sum) return -1;
        double latest = stretched(entry->sum, rounds, all);
        sum->n += entry->n;
        sum->sum = latest > sum->sum ? latest : sum->sum;
    }
    return 0;
}

int memory_tables_add(struct memory_tables *tables, double rounds,
                      const struct memory_tables *share, double more, struct fault *fault)
{
    const struct memory_table *other = share->table;
    struct memory_table *table = tables->table, *pairs = &table[MEMORY_PAIRS];
    size_t shared = count_shared(pairs, &other[MEMORY_PAIRS]);
    if (shared > 0)
        return fault_data(fault, "%zu of its %zu pairs of query and document are in the models "
                          "before it, too: learn all rounds of a query in one share, as update -i "
                          "does", shared, other[MEMORY_PAIRS].used);
    if (memory_table_reserve(pairs, pairs->used + other[MEMORY_PAIRS].used, fault) < 0 ||
        add_pairs(pairs, &other[MEMORY_PAIRS], fault) < 0 ||
        memory_dropped_add(&table[MEMORY_DROPPED], &other[MEMORY_DROPPED], fault) < 0)
        return -1;
    double all = rounds + more;
    stretch(&table[MEMORY_QUERIES], rounds, all);
    return add_queries(&table[MEMORY_QUERIES], &other[MEMORY_QUERIES], more, all, fault);
}
