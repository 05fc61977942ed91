#include "measure/query_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct query_cell {
    double sum;
    uint64_t count;
};

struct sorted {
    const char *name;
    size_t query;
};

static const char *name_of(const struct query_values *values, size_t query)
{
    return (const char *)values->text.at + ((const size_t *)values->name.at)[query];
}

static const void *key_of(const void *values, uint64_t entry, size_t *n)
{
    const char *name = name_of(values, (size_t)entry - 1);
    *n = strlen(name);
    return name;
}

/* A query that is new. 0 or a fault. */
static int add_query(struct query_values *values, const char *qid, size_t n, struct fault *fault)
{
    const size_t query = values->queries, rankers = values->rankers;
    size_t room = 64;
    while (room <= query)
        room *= 2;
    size_t *begins = buffer_for(&values->name, room, sizeof *begins, fault);
    struct query_cell *cell = begins ? buffer_for(&values->cell, room * rankers, sizeof *cell,
                                                  fault) : NULL;
    size_t text = 1024;
    while (text < values->bytes + n + 1)
        text *= 2;
    char *to = cell ? buffer_for(&values->text, text, 1, fault) : NULL;
    if (!to)
        return -1;
    memcpy(to + values->bytes, qid, n);
    to[values->bytes + n] = '\0';
    begins[query] = values->bytes;
    memset(cell + query * rankers, 0, rankers * sizeof *cell);
    values->bytes += n + 1;
    values->queries++;
    return hash_table_add(&values->table, values, query + 1, fault);
}

int query_values_add(struct query_values *values, size_t ranker, const char *qid, size_t n,
                     double value, struct fault *fault)
{
    values->table.key = key_of;
    uint64_t entry = hash_table_find(&values->table, values, qid, n);
    if (entry == 0) {
        if (add_query(values, qid, n, fault) < 0)
            return -1;
        entry = values->queries;
    }
    struct query_cell *cell = (struct query_cell *)values->cell.at +
                              (entry - 1) * values->rankers + ranker;
    cell->sum += value;
    cell->count++;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct sorted *)a)->name, ((const struct sorted *)b)->name);
}

int query_values_sort(struct query_values *values, struct fault *fault)
{
    struct sorted *sorted = buffer_for(&values->order, values->queries + 1, sizeof *sorted, fault);
    if (!sorted)
        return -1;
    for (size_t i = 0; i < values->queries; i++)
        sorted[i] = (struct sorted){ name_of(values, i), i };
    qsort(sorted, values->queries, sizeof *sorted, by_name);
    return 0;
}

const char *query_values_name(const struct query_values *values, size_t i)
{
    return ((const struct sorted *)values->order.at)[i].name;
}

double query_values_mean(const struct query_values *values, size_t i, size_t ranker)
{
    size_t query = ((const struct sorted *)values->order.at)[i].query;
    const struct query_cell *cell = (const struct query_cell *)values->cell.at +
                                    query * values->rankers + ranker;
    return cell->count ? cell->sum / (double)cell->count : NAN;
}

void query_values_close(struct query_values *values)
{
    hash_table_close(&values->table);
    buffer_free(&values->text);
    buffer_free(&values->name);
    buffer_free(&values->cell);
    buffer_free(&values->order);
}
