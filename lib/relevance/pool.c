#include "relevance/pool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "base/unaligned.h"
#include "feature/scale.h"
#include "math/fingerprint.h"
#include "stream/round.h"

/* ---- features ---- */

/* Makes *to a copy of a matrix, in memory of its own. 0 or a fault. */
static int copy_matrix(struct matrix *to, void **memory, const struct matrix *from,
                       struct fault *fault)
{
    size_t n = matrix_entries(from), starts = 4 * (from->docs + 1);
    bool dense = from->kind == MATRIX_DENSE;
    unsigned char *at = malloc((dense ? 4 * n : starts + 8 * n) + 1);
    if (!at)
        return fault_no_room(fault, starts + 8 * n);
    free(*memory);
    *memory = at;
    *to = *from;
    if (dense) {
        to->x = memcpy(at, from->x, 4 * n);
        return 0;
    }
    to->ptr = memcpy(at, from->ptr, starts);
    to->idx = memcpy(at + starts, from->idx, 4 * n);
    to->val = memcpy(at + starts + 4 * n, from->val, 4 * n);
    return 0;
}

/* Appends the features of document i of x to `rows`. 0 or a fault. */
static int append_row(struct rows *rows, const struct matrix *x, size_t i, struct fault *fault)
{
    bool dense = x->kind == MATRIX_DENSE;
    size_t from = dense ? 0 : unaligned_u4(x->ptr + 4 * i);
    size_t to = dense ? x->dim : unaligned_u4(x->ptr + 4 * (i + 1));
    if (rows_document(rows, to - from, fault) < 0) return -1;
    for (size_t e = from; e < to; e++) {
        float value = unaligned_f4(dense ? x->x + 4 * (i * x->dim + e) : x->val + 4 * e);
        if (value != 0)
            rows_feature(rows, dense ? (uint32_t)e : unaligned_u4(x->idx + 4 * e), value);
    }
    return 0;
}

/* Are the features of the round of the kind that earlier rounds had? 0 or a fault. */
static int check_kind(struct pool *pool, const struct round *round, const struct matrix *x,
                      struct fault *fault)
{
    const char *made = round->made ? round->made : "";
    bool bare = x->kind == MATRIX_UNIT;
    if (!pool->any) {
        const struct siphash key = entropy_siphash();
        pool->any = true;
        pool->secret = siphash_end(&key);
        pool->bare = bare;
        strcpy(pool->made, made);
    }
    if (bare != pool->bare)
        return fault_data(fault, "the round has %s features, and those before it have %s", bare ?
                          "no" : "", bare ? "some" : "none");
    if (strcmp(made, pool->made) != 0)
        return fault_data(fault, "the round has made=%.60s, and those before it have made=%.60s",
                          *made ? made : "(nothing)", *pool->made ? pool->made : "(nothing)");
    if (x->dim > pool->dim)
        pool->dim = x->dim;
    return 0;
}

/* ---- documents ---- */

/* Sets pool->list[i] to the pair of a document, and pool->fresh[i], where it has not come in this
 * round before: 1; 0: it has; or a fault. */
static int list(struct pool *pool, uint32_t query, size_t i, const char *name, size_t bytes,
                struct fault *fault)
{
    size_t had = pool->marks.bytes / sizeof(uint64_t);
    uint32_t pair = impressions_pair(&pool->impressions, query, name, bytes, fault);
    if (pair == IMPRESSIONS_FAULT) return -1;
    uint64_t *mark = buffer_for(&pool->marks, (size_t)pair + 1, sizeof *mark, fault);
    if (!mark) return -1;
    size_t has = pool->marks.bytes / sizeof *mark;
    if (has > had)
        memset(mark + had, 0, (has - had) * sizeof *mark);
    bool before = mark[pair] == pool->round;
    pool->fresh[i] = mark[pair] == 0;
    mark[pair] = pool->round;
    pool->list[i] = pair;
    return !before;
}

/* Documents without names: those of equal features are numbered as they come. */
static int list_features(struct pool *pool, const struct round *round, const struct matrix *x,
                         uint32_t query, struct fault *fault)
{
    const uint64_t *hash = round->fingerprint;
    if (x->kind == MATRIX_UNIT)
        return fault_data(fault, "its documents have neither names nor features to be known by");
    if (!hash) {
        uint64_t *own = buffer_for(&pool->hashes, round->docs, sizeof *own, fault);
        if (!own || fingerprint_rows(x, &pool->scratch, own, fault) < 0) return -1;
        hash = own;
    }
    uint32_t *place = buffer_for(&pool->places, round->docs, sizeof *place, fault);
    if (!place || fingerprint_places(round->docs, hash, pool->secret, &pool->scratch, place,
                                     fault) < 0)
        return -1;
    for (size_t i = 0; i < round->docs; i++) {
        char name[64];
        int bytes = snprintf(name, sizeof name, "f:%016" PRIx64 ":%" PRIu32, hash[i], place[i]);
        if (list(pool, query, i, name, (size_t)bytes, fault) < 0) return -1;
    }
    return 0;
}

static int list_names(struct pool *pool, const struct round *round, const char *const *name,
                      uint32_t query, struct fault *fault)
{
    for (size_t i = 0; i < round->docs; i++) {
        if (!name[i][0])
            return round_names_wrong(i, fault);
        int listed = list(pool, query, i, name[i], strlen(name[i]), fault);
        if (listed == 0)
            return fault_data(fault, "document %.60s comes twice: a document is known by its name",
                              name[i]);
        if (listed < 0) return -1;
    }
    return 0;
}

/* The first round of a query: its documents and features are kept. 0 or a fault. */
static int begin(struct pool *pool, struct pool_query *query, const struct round *round,
                 const struct matrix *x, const struct column *names, struct fault *fault)
{
    size_t bytes = names ? column_bytes(names) : 0, docs = round->docs;
    query->pair = malloc(docs * sizeof *query->pair + bytes + 1);
    if (!query->pair)
        return fault_no_room(fault, docs * sizeof *query->pair + bytes);
    memcpy(query->pair, pool->list, docs * sizeof *query->pair);
    query->docs = docs;
    query->nameless = !names;
    query->names = (char *)(query->pair + docs);
    query->bytes = bytes;
    if (names)
        memcpy(query->names, names->data, bytes);
    return x->kind == MATRIX_UNIT ? 0 : copy_matrix(&query->x, &query->x_memory, x, fault);
}

/* A later round of a query: documents that it did not have are appended. 0 or a fault. */
static int extend(struct pool *pool, struct pool_query *query, const struct round *round,
                  const struct matrix *x, struct fault *fault)
{
    size_t docs = query->docs, all = docs;
    bool bare = x->kind == MATRIX_UNIT;
    for (size_t i = 0; i < round->docs; i++) {
        if (!pool->fresh[i])
            continue;
        if (all == docs && !bare && rows_take(&pool->rows, &query->x, fault) < 0) return -1;
        uint32_t *pair = realloc(query->pair, (all + 1) * sizeof *pair);
        if (!pair)
            return fault_no_room(fault, (all + 1) * sizeof *pair);
        query->pair = pair;
        query->names = NULL; /* it was behind the pairs */
        query->bytes = 0;
        pair[all++] = pool->list[i];
        if (!bare && append_row(&pool->rows, x, i, fault) < 0) return -1;
    }
    query->docs = all;
    struct matrix whole;
    if (all == docs || bare)
        return 0;
    size_t dim = query->x.dim > x->dim ? query->x.dim : x->dim;
    return rows_matrix(&pool->rows, dim, &whole, fault) < 0
               ? -1 : copy_matrix(&query->x, &query->x_memory, &whole, fault);
}

/* The query of a round; with its documents all known, in the order of its first round, nothing need
 * be looked up. NULL and a fault: no memory. */
static struct pool_query *query_of(struct pool *pool, uint32_t number, struct fault *fault)
{
    struct pool_query *query = buffer_for(&pool->query, (size_t)number + 1, sizeof *query, fault);
    if (!query)
        return NULL;
    if (number >= pool->queries)
        memset(query + pool->queries, 0, (number + 1 - pool->queries) * sizeof *query);
    if (number >= pool->queries)
        pool->queries = (size_t)number + 1;
    return query + number;
}

static bool is_first_again(const struct pool_query *query, const struct round *round,
                           const struct column *names)
{
    return query->pair && query->names && names && query->docs == round->docs &&
           query->bytes == column_bytes(names) &&
           memcmp(query->names, names->data, query->bytes) == 0;
}

int pool_take(struct pool *pool, const struct round *round, bool known, struct fault *fault)
{
    struct matrix x;
    const char *const *name;
    const struct column *names = record_column(round->record, ROUND_NAMES);
    if (!round->qid)
        return fault_data(fault, "needs a qid: judgements are of queries");
    if (known && pair_names_query(&pool->impressions.names, round->qid) == PAIR_NAMES_NONE) {
        strcpy(pool->unknown, round->qid);
        return 0;
    }
    uint32_t number = impressions_query(&pool->impressions, round->qid, fault);
    struct pool_query *query = number == IMPRESSIONS_FAULT ? NULL : query_of(pool, number, fault);
    pool->list = buffer_for(&pool->lists, round->docs, sizeof *pool->list + sizeof *pool->fresh,
                            fault);
    if (!query || !pool->list) return -1;
    pool->fresh = (bool *)(pool->list + round->docs);
    pool->round++;
    if (is_first_again(query, round, names)) {
        memcpy(pool->list, query->pair, round->docs * sizeof *pool->list);
        return 1;
    }
    if (query->pair && query->nameless != !names)
        return fault_data(fault, "its documents have %snames, and those of an earlier round of "
                          "the qid have %s: they cannot be compared", names ? "" : "no ",
                          names ? "none" : "some");
    if (round_matrix(round, &x, fault) < 0 || check_kind(pool, round, &x, fault) < 0 ||
        round_names(round, &pool->names, &name, fault) < 0 ||
        (name ? list_names(pool, round, name, number, fault)
              : list_features(pool, round, &x, number, fault)) < 0)
        return -1;
    return (query->pair ? extend(pool, query, round, &x, fault)
                        : begin(pool, query, round, &x, names, fault)) < 0 ? -1 : 1;
}

int pool_count(struct pool *pool, const struct round *round, struct fault *fault)
{
    double above = 0; /* was a higher position clicked? */
    for (size_t a = 0; a < round->places; a++) {
        double click = round->seen[a] > 0 ? 1 : 0;
        double lack = click > 0 && round->clicks && round->seen[a] < 1 ? 1 - round->seen[a] : 0;
        struct impressions_counts counts = { 1, click, above, above * click,
                                             impressions_lack(lack) };
        if (impressions_add(&pool->impressions, pool->list[round->order[a]], (uint32_t)a + 1,
                            &counts, fault) < 0)
            return -1;
        above = above > click ? above : click;
    }
    return 0;
}

/* ---- the end ---- */

/* Without rounds the queries of the counts have the documents of the counts. 0 or a fault. */
static int take_counts(struct pool *pool, struct fault *fault)
{
    const struct impressions *impressions = &pool->impressions;
    const struct impressions_pair *pair = impressions->pair.at;
    pool->bare = true;
    for (uint32_t q = 0; q < impressions->queries; q++)
        if (!query_of(pool, q, fault)) return -1;
    struct pool_query *query = pool->query.at;
    for (uint32_t j = 0; j < impressions->pairs; j++)
        query[pair[j].query].docs++;
    for (uint32_t q = 0; q < impressions->queries; q++) {
        query[q].pair = malloc(query[q].docs * sizeof *query[q].pair + 1);
        if (!query[q].pair)
            return fault_no_room(fault, query[q].docs * sizeof *query[q].pair);
        query[q].docs = 0;
    }
    for (uint32_t j = 0; j < impressions->pairs; j++) {
        struct pool_query *of = &query[pair[j].query];
        of->pair[of->docs++] = j;
    }
    return 0;
}

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

/* Sorts the documents of a query by name. */
static void sort_documents(const struct pool *pool, struct pool_query *query, struct named *named)
{
    for (size_t i = 0; i < query->docs; i++)
        named[i] = (struct named){ impressions_name(&pool->impressions, query->pair[i]),
                                   query->pair[i] };
    qsort(named, query->docs, sizeof *named, by_name);
    for (size_t i = 0; i < query->docs; i++)
        query->pair[i] = named[i].number;
}

/* Fills in evidence, order and lost: queries sorted by qid; documents as they came, or sorted by
 * name where there are no features; and their cells by position. 0 or a fault (memory). */
static int arrange(struct pool *pool, struct fault *fault)
{
    const struct impressions *impressions = &pool->impressions;
    const struct impressions_cell *cell = impressions->cell.at;
    struct pool_query *query = pool->query.at;
    const size_t Q = pool->queries, J = impressions->pairs, n = impressions->cells;
    size_t queries = 0, pairs = 0, positions = 0, all = 0;
    size_t bytes = (Q + 1 + J + 1) * sizeof(size_t) + Q * (sizeof(struct matrix) + 4);
    struct matrix *z = buffer_for(&pool->arrays, bytes, 1, fault);
    struct evidence_cell *sorted = buffer_for(&pool->cells, n + 1, sizeof *sorted, fault);
    bytes = ((J > Q ? J : Q) + 1) * sizeof(struct named) + (J + 1) * sizeof(size_t);
    struct named *named = buffer_for(&pool->scratch, bytes, 1, fault);
    if (!z || !sorted || !named) return -1;
    size_t *begin = (size_t *)(z + Q); /* begin[queries + 1], of pairs */
    size_t *first = begin + Q + 1;     /* first[pairs + 1], of cells */
    uint32_t *order = (uint32_t *)(first + J + 1);
    size_t *place = (size_t *)(named + (J > Q ? J : Q) + 1); /* place[J]; SIZE_MAX: none */

    for (uint32_t q = 0; q < Q; q++)
        if (query[q].pair)
            named[queries++] = (struct named){ impressions_qid(impressions, q), q };
    qsort(named, queries, sizeof *named, by_name);
    for (size_t q = 0; q < queries; q++)
        order[q] = named[q].number;

    memset(place, 0xff, J * sizeof *place);
    for (size_t q = 0; q < queries; q++) {
        struct pool_query *of = &query[order[q]];
        if (pool->bare)
            sort_documents(pool, of, named);
        begin[q] = pairs;
        z[q] = of->z;
        for (size_t i = 0; i < of->docs; i++)
            place[of->pair[i]] = pairs++;
    }
    begin[queries] = pairs;
    pool->lost = 0;
    for (size_t j = 0; j < J; j++)
        pool->lost += place[j] == SIZE_MAX;

    memset(first, 0, (pairs + 1) * sizeof *first);
    for (size_t i = 0; i < n; i++)
        if (place[cell[i].pair] != SIZE_MAX) {
            first[place[cell[i].pair] + 1]++;
            all++;
            if (cell[i].position > positions)
                positions = cell[i].position;
        }
    for (size_t j = 0; j < pairs; j++)
        first[j + 1] += first[j];
    for (size_t i = n; i-- > 0;) { /* first[j + 1] becomes where pair j begins */
        size_t j = place[cell[i].pair];
        if (j != SIZE_MAX)
            sorted[--first[j + 1]] = (struct evidence_cell){ cell[i].position - 1, cell[i].counts };
    }
    memmove(first, first + 1, pairs * sizeof *first);
    first[pairs] = all;
    for (size_t j = 0; j < pairs; j++)
        qsort(sorted + first[j], first[j + 1] - first[j], sizeof *sorted, by_position);
    pool->order = order;
    pool->evidence = (struct evidence){ queries, pairs, positions, pool->bare ? 0 : pool->dim,
                                        begin, first, sorted, z };
    return 0;
}

/* z of a query. 0 or a fault. */
static int scale_query(struct pool *pool, struct pool_query *query, struct fault *fault)
{
    struct matrix z;
    query->z = query->x;
    if (pool->made[0] || pool->bare)
        return 0;
    if (scale_values(&query->x, &pool->scaled, &z, fault) < 0) return -1;
    bool same = z.kind == query->x.kind && z.x == query->x.x && z.val == query->x.val;
    return same ? 0 : copy_matrix(&query->z, &query->z_memory, &z, fault);
}

int pool_finish(struct pool *pool, struct fault *fault)
{
    if (!pool->any && take_counts(pool, fault) < 0) return -1;
    struct pool_query *query = pool->query.at;
    for (size_t q = 0; q < pool->queries; q++)
        if (query[q].pair && scale_query(pool, &query[q], fault) < 0) {
            if (fault->kind == FAULT_DATA)
                fault_place(fault, "qid %s: ", impressions_qid(&pool->impressions, (uint32_t)q));
            return -1;
        }
    return arrange(pool, fault);
}

void pool_close(struct pool *pool)
{
    struct pool_query *query = pool->query.at;
    for (size_t q = 0; q < pool->queries; q++) {
        free(query[q].pair);
        free(query[q].x_memory);
        free(query[q].z_memory);
    }
    impressions_close(&pool->impressions);
    rows_close(&pool->rows);
    rows_close(&pool->scaled);
    struct buffer *buffers[] = { &pool->query, &pool->lists, &pool->names, &pool->marks,
                                 &pool->hashes, &pool->places, &pool->scratch, &pool->arrays,
                                 &pool->cells };
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        buffer_free(buffers[i]);
}
