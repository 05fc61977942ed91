#include "memory/memory_tables.h"

int memory_tables_round(struct memory_tables *tables, size_t most, struct fault *fault)
{
    uint64_t *key = buffer_for(&tables->changes, most, MEMORY_KINDS * sizeof *key, fault);
    if (!key)
        return -1;
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
