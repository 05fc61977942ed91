#include "memory/memory_keys.h"

#include <string.h>

#include "base/little.h"

struct siphash memory_query(uint64_t k0, uint64_t k1, const char *qid)
{
    struct siphash query = siphash_start(k0, k1);
    siphash_add(&query, qid, strlen(qid) + 1);
    return query;
}

uint64_t memory_key_query(const struct siphash *query)
{
    struct siphash all = *query;
    uint64_t key = siphash_end(&all);
    return key ? key : 1;
}

static uint64_t make_key(const struct siphash *query, char kind, const void *bytes, size_t n)
{
    struct siphash document = *query;
    siphash_add(&document, &kind, 1);
    siphash_add(&document, bytes, n);
    uint64_t key = siphash_end(&document);
    return key ? key : 1;
}

uint64_t memory_key_name(const struct siphash *query, const void *name, size_t n)
{
    return make_key(query, 'n', name, n);
}

uint64_t memory_key_row(const struct siphash *query, uint32_t row)
{
    little_numbers(&row, 1, sizeof row);
    return make_key(query, 'r', &row, sizeof row);
}

static int hash_names(const struct memory_documents *documents, const struct siphash *query,
                      uint64_t *key, struct fault *fault)
{
    const char *at = documents->names, *end = at + documents->bytes;
    for (size_t i = 0; i < documents->docs; i++) {
        const char *nul = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
        if (!nul)
            return fault_data(fault, "the column 'name' must hold %zu names", documents->docs);
        key[i] = memory_key_name(query, at, (size_t)(nul - at));
        at = nul + 1;
    }
    if (at < end)
        return fault_data(fault, "the column 'name' holds more than %zu names", documents->docs);
    return 0;
}

/* Name i of the column. */
static const char *name_at(const char *names, size_t i)
{
    while (i-- > 0)
        names += strlen(names) + 1;
    return names;
}

static int fault_double(const struct memory_documents *documents, const uint64_t *key, size_t i,
                        struct fault *fault)
{
    char quoted[FAULT_QUOTE];
    const char *name = name_at(documents->names, i);
    size_t first = 0;
    while (key[first] != key[i])
        first++;
    return fault_data(fault, "documents %zu and %zu have the same name, %s: memory needs a "
                      "different name for each document of a round, or no names", first, i,
                      fault_quote(quoted, name, strlen(name)));
}

/* Is a key there twice? By a table of at least twice as many places as keys. */
static int check_doubles(const struct memory_documents *documents, const uint64_t *key,
                         struct buffer *scratch, struct fault *fault)
{
    size_t places = 16;
    while (places < 2 * documents->docs)
        places *= 2;
    uint64_t *table = buffer_for(scratch, places, sizeof *table, fault);
    if (!table)
        return -1;
    memset(table, 0, places * sizeof *table);
    for (size_t i = 0; i < documents->docs; i++) {
        size_t at = (size_t)(key[i] % places);
        while (table[at] && table[at] != key[i])
            at = at + 1 < places ? at + 1 : 0;
        if (table[at])
            return fault_double(documents, key, i, fault);
        table[at] = key[i];
    }
    return 0;
}

int memory_round_query(const struct memory_documents *documents, uint64_t k0, uint64_t k1,
                       struct siphash *query, struct fault *fault)
{
    if (!documents->qid)
        return fault_data(fault, "no qid, by which memory knows each query: give qids in the text, "
                          "or group sizes with svm2bin -q, or use -a ridge");
    *query = memory_query(k0, k1, documents->qid);
    return 0;
}

int memory_keys(const struct memory_documents *documents, uint64_t k0, uint64_t k1, uint64_t *key,
                struct buffer *scratch, struct fault *fault)
{
    struct siphash query;
    if (memory_round_query(documents, k0, k1, &query, fault) < 0)
        return -1;
    if (documents->names)
        return hash_names(documents, &query, key, fault) < 0
             ? -1 : check_doubles(documents, key, scratch, fault);
    for (size_t i = 0; i < documents->docs; i++)
        key[i] = memory_key_row(&query, (uint32_t)i);
    return 0;
}
