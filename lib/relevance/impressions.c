#include "relevance/impressions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = 2 * sizeof(uint32_t) };

static const void *key_of(const void *cells, uint64_t entry, size_t *n)
{
    *n = KEY;
    return (const struct impressions_cell *)cells + entry - 1;
}

static uint32_t too_many(const char *what, struct fault *fault)
{
    fault_other(fault, "more than %u %s: count shares of the log, by query", IMPRESSIONS_FAULT - 1,
                what);
    return IMPRESSIONS_FAULT;
}

uint32_t impressions_query(struct impressions *impressions, const char *qid, struct fault *fault)
{
    size_t q = pair_names_query(&impressions->names, qid), n = impressions->queries;
    if (q != PAIR_NAMES_NONE)
        return (uint32_t)q;
    if (n == IMPRESSIONS_FAULT - 1)
        return too_many("queries", fault);
    size_t *query = buffer_for(&impressions->query, n + 1, sizeof *query, fault);
    if (!query ||
        (query[n] = pair_names_add_query(&impressions->names, qid, n, fault)) == PAIR_NAMES_NONE)
        return IMPRESSIONS_FAULT;
    impressions->queries++;
    return (uint32_t)n;
}

uint32_t impressions_pair(struct impressions *impressions, uint32_t query, const char *name,
                          size_t bytes, struct fault *fault)
{
    struct pair_names *names = &impressions->names;
    size_t j = pair_names_document(names, query, name, bytes, fault), n = impressions->pairs;
    if (j != PAIR_NAMES_NONE)
        return (uint32_t)j;
    if (fault->kind != FAULT_NONE)
        return IMPRESSIONS_FAULT;
    if (n == IMPRESSIONS_FAULT - 1)
        return too_many("pairs of query and document", fault);
    struct impressions_pair *pair = buffer_for(&impressions->pair, n + 1, sizeof *pair, fault);
    size_t at = pair ? pair_names_add_document(names, query, name, bytes, n, fault)
                     : PAIR_NAMES_NONE;
    if (at == PAIR_NAMES_NONE)
        return IMPRESSIONS_FAULT;
    pair[n] = (struct impressions_pair){ at, query };
    impressions->pairs++;
    return (uint32_t)n;
}

int impressions_add(struct impressions *impressions, uint32_t pair, uint32_t position,
                    const struct impressions_counts *counts, struct fault *fault)
{
    struct hash_table *table = &impressions->table;
    struct impressions_cell *cell, new = { .pair = pair, .position = position };
    if (position > IMPRESSIONS_POSITIONS)
        return fault_data(fault, "position %" PRIu32 ": at most %d are counted", position,
                          IMPRESSIONS_POSITIONS);
    uint64_t entry = hash_table_find(table, impressions->cell.at, &new, KEY);
    if (entry == 0) {
        entry = impressions->cells + 1;
        cell = buffer_for(&impressions->cell, (size_t)entry, sizeof *cell, fault);
        if (!cell) return -1;
        cell[entry - 1] = new;
        table->key = key_of;
        if (hash_table_add(table, cell, entry, fault) < 0) return -1;
        impressions->cells++;
    }
    cell = (struct impressions_cell *)impressions->cell.at + entry - 1;
    cell->counts.n += counts->n;
    cell->counts.clicks += counts->clicks;
    cell->counts.after += counts->after;
    cell->counts.after_clicks += counts->after_clicks;
    cell->counts.lack += counts->lack;
    return 0;
}

const char *impressions_qid(const struct impressions *impressions, uint32_t query)
{
    return pair_names_text(&impressions->names, ((const size_t *)impressions->query.at)[query]);
}

static const struct impressions_pair *pair_at(const struct impressions *impressions, uint32_t pair)
{
    return (const struct impressions_pair *)impressions->pair.at + pair;
}

const char *impressions_name(const struct impressions *impressions, uint32_t pair)
{
    return pair_names_text(&impressions->names, pair_at(impressions, pair)->name);
}

/* ---- sorting ---- */

/* A cell with what it is sorted by. */
struct ranked {
    const char *qid, *name;
    struct impressions_cell cell;
};

static int compare(const void *a, const void *b)
{
    const struct ranked *one = a, *two = b;
    int order = one->qid == two->qid ? 0 : strcmp(one->qid, two->qid);
    if (order == 0 && one->name != two->name)
        order = strcmp(one->name, two->name);
    if (order != 0)
        return order;
    return one->cell.position < two->cell.position ? -1 : one->cell.position > two->cell.position;
}

int impressions_sort(struct impressions *impressions, struct fault *fault)
{
    size_t n = impressions->cells;
    struct impressions_cell *cell = impressions->cell.at;
    struct buffer memory = { 0 };
    struct ranked *ranked = buffer_for(&memory, n + 1, sizeof *ranked, fault);
    hash_table_close(&impressions->table);
    if (!ranked) return -1;
    for (size_t i = 0; i < n; i++)
        ranked[i] = (struct ranked){
            impressions_qid(impressions, pair_at(impressions, cell[i].pair)->query),
            impressions_name(impressions, cell[i].pair), cell[i]
        };
    qsort(ranked, n, sizeof *ranked, compare);
    for (size_t i = 0; i < n; i++)
        cell[i] = ranked[i].cell;
    buffer_free(&memory);
    return 0;
}

void impressions_close(struct impressions *impressions)
{
    pair_names_close(&impressions->names);
    hash_table_close(&impressions->table);
    buffer_free(&impressions->query);
    buffer_free(&impressions->pair);
    buffer_free(&impressions->cell);
}
