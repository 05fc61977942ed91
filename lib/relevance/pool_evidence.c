#include "relevance/pool_evidence.h"

#include <stdlib.h>
#include <string.h>

/* Something with the name that it is sorted by. */
struct named {
    const char *name;
    uint32_t number;
};

static int by_name(const void *a, const void *b)
{
    const struct named *one = a, *two = b;
    return strcmp(one->name, two->name);
}

static int by_position(const void *a, const void *b)
{
    const struct evidence_cell *one = a, *two = b;
    return one->position < two->position ? -1 : one->position > two->position;
}

/* Sorts the queries that have documents by qid: order[n]. Returns n. */
static size_t sort_queries(const struct pool *pool, struct named *named, uint32_t *order)
{
    const struct pool_query *query = pool->query.at;
    size_t n = 0;
    for (uint32_t q = 0; q < pool->queries; q++)
        if (query[q].pair)
            named[n++] = (struct named){ impressions_qid(&pool->impressions, q), q };
    qsort(named, n, sizeof *named, by_name);
    for (size_t i = 0; i < n; i++)
        order[i] = named[i].number;
    return n;
}

static void sort_documents(const struct pool *pool, struct pool_query *query, struct named *named)
{
    for (size_t i = 0; i < query->docs; i++)
        named[i] = (struct named){ impressions_name(&pool->impressions, query->pair[i]),
                                   query->pair[i] };
    qsort(named, query->docs, sizeof *named, by_name);
    for (size_t i = 0; i < query->docs; i++)
        query->pair[i] = named[i].number;
}

/* The arrays of the evidence, which are being filled in. */
struct arrays {
    size_t *query, *first;
    struct evidence_cell *cell;
    struct matrix *z;
    uint32_t *order;
    size_t *place; /* place[pairs of the counts]: their numbers in the evidence; SIZE_MAX: none */
    struct named *named;
};

/* Room for all, in two blocks. 0 or a fault. */
static int find_room(struct pool *pool, struct arrays *arrays, struct fault *fault)
{
    size_t Q = pool->queries, J = pool->impressions.pairs, n = pool->impressions.cells;
    size_t bytes = (Q + 1 + J + 1) * sizeof(size_t) +
                   Q * (sizeof(struct matrix) + sizeof(uint32_t));
    char *at = buffer_for(&pool->arrays, bytes, 1, fault);
    arrays->cell = buffer_for(&pool->cells, n + 1, sizeof *arrays->cell, fault);
    arrays->named = calloc((J > Q ? J : Q) + 1, sizeof *arrays->named);
    arrays->place = calloc(J + 1, sizeof *arrays->place);
    if (!arrays->named || !arrays->place)
        fault_no_room(fault, (J + Q) * sizeof *arrays->named);
    if (!at || !arrays->cell || !arrays->named || !arrays->place) return -1;
    arrays->z = (struct matrix *)at;
    arrays->query = (size_t *)(arrays->z + Q);
    arrays->first = arrays->query + Q + 1;
    arrays->order = (uint32_t *)(arrays->first + J + 1);
    return 0;
}

/* Numbers the pairs query by query. Returns how many there are. */
static size_t number_pairs(struct pool *pool, struct arrays *arrays, size_t queries)
{
    size_t j = 0;
    struct pool_query *query = pool->query.at;
    for (size_t i = 0; i < pool->impressions.pairs; i++)
        arrays->place[i] = SIZE_MAX;
    for (size_t q = 0; q < queries; q++) {
        struct pool_query *of = &query[arrays->order[q]];
        if (pool->bare)
            sort_documents(pool, of, arrays->named);
        arrays->query[q] = j;
        arrays->z[q] = of->z;
        for (size_t i = 0; i < of->docs; i++)
            arrays->place[of->pair[i]] = j++;
    }
    arrays->query[queries] = j;
    return j;
}

/* Sorts the cells into their pairs. Returns the number of positions. */
static size_t place_cells(struct pool *pool, struct arrays *arrays, size_t pairs)
{
    const struct impressions_cell *cell = pool->impressions.cell.at;
    size_t n = pool->impressions.cells, *first = arrays->first, positions = 0;
    memset(first, 0, (pairs + 1) * sizeof *first);
    for (size_t i = 0; i < n; i++)
        if (arrays->place[cell[i].pair] != SIZE_MAX)
            first[arrays->place[cell[i].pair] + 1]++;
    for (size_t j = 0; j < pairs; j++)
        first[j + 1] += first[j];
    for (size_t i = n; i-- > 0;) { /* first[j + 1] becomes where pair j begins */
        size_t j = arrays->place[cell[i].pair];
        if (j == SIZE_MAX)
            continue;
        if (cell[i].position > positions)
            positions = cell[i].position;
        arrays->cell[--first[j + 1]] = (struct evidence_cell){ cell[i].position - 1,
                                                              cell[i].counts };
    }
    size_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += arrays->place[cell[i].pair] != SIZE_MAX;
    memmove(first, first + 1, pairs * sizeof *first);
    first[pairs] = all;
    for (size_t j = 0; j < pairs; j++)
        qsort(arrays->cell + first[j], first[j + 1] - first[j], sizeof *arrays->cell, by_position);
    return positions;
}

/* Pairs with counts that have no place. */
static size_t count_lost(const struct pool *pool, const struct arrays *arrays)
{
    size_t lost = 0;
    for (size_t i = 0; i < pool->impressions.pairs; i++)
        lost += arrays->place[i] == SIZE_MAX;
    return lost;
}

int pool_arrange(struct pool *pool, struct fault *fault)
{
    struct arrays arrays = { 0 };
    int result = find_room(pool, &arrays, fault);
    if (result == 0) {
        size_t queries = sort_queries(pool, arrays.named, arrays.order);
        size_t pairs = number_pairs(pool, &arrays, queries);
        size_t positions = place_cells(pool, &arrays, pairs);
        pool->order = arrays.order;
        pool->lost = count_lost(pool, &arrays);
        pool->evidence = (struct evidence){ queries, pairs, positions, pool->bare ? 0 : pool->dim,
                                            arrays.query, arrays.first, arrays.cell, arrays.z };
    }
    free(arrays.named);
    free(arrays.place);
    return result;
}
