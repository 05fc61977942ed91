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

int query_values_add(struct query_values *values, size_t ranker, const char *qid, size_t n,
                     double value, struct fault *fault)
{
    const size_t rankers = values->rankers;
    uint64_t query;
    values->names.numbered = true;
    int fresh = name_table_number(&values->names, qid, n, &query, fault);
    if (fresh < 0) return -1;
    values->queries = (size_t)values->names.names;
    struct query_cell *cell = buffer_for(&values->cell, values->queries * rankers, sizeof *cell,
                                         fault);
    if (!cell) return -1;
    cell += (query - 1) * rankers;
    if (fresh > 0)
        memset(cell, 0, rankers * sizeof *cell);
    cell[ranker].sum += value;
    cell[ranker].count++;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct sorted *)a)->name, ((const struct sorted *)b)->name);
}

int query_values_sort(struct query_values *values, struct fault *fault)
{
    struct sorted *sorted = buffer_for(&values->order, values->queries + 1, sizeof *sorted, fault);
    if (!sorted) return -1;
    const char *name = NULL;
    for (size_t i = 0; i < values->queries; i++) {
        name = name_table_next(&values->names, name);
        sorted[i] = (struct sorted){ name, i };
    }
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
    name_table_close(&values->names);
    buffer_free(&values->cell);
    buffer_free(&values->order);
}
