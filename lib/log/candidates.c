#include "log/candidates.h"

#include <stdint.h>
#include <string.h>

#include "stream/round_names.h"

/* An entry of `text`: the number of the query or document, then the key and a NUL. The key of a
 * query is its qid; that of a document is the number of its query and its name. */
enum { NUMBER = sizeof(uint32_t) };

static const void *qid_of(const void *text, uint64_t entry, size_t *n)
{
    const char *qid = (const char *)text + entry - 1 + NUMBER;
    *n = strlen(qid);
    return qid;
}

static const void *name_of(const void *text, uint64_t entry, size_t *n)
{
    const char *key = (const char *)text + entry - 1 + NUMBER;
    *n = NUMBER + strlen(key + NUMBER);
    return key;
}

/* Adds an entry with its key of n bytes, which no other has. 0 or a fault (memory). */
static int add(struct candidates *candidates, struct hash_table *table, size_t number,
               const void *key, size_t n, struct fault *fault)
{
    uint32_t at = (uint32_t)number;
    char *text = buffer_for(&candidates->text, candidates->bytes + NUMBER + n + 1, 1, fault);
    if (!text)
        return -1;
    char *to = text + candidates->bytes;
    memcpy(to, &at, NUMBER);
    memcpy(to + NUMBER, key, n);
    to[NUMBER + n] = '\0';
    if (hash_table_add(table, text, candidates->bytes + 1, fault) < 0)
        return -1;
    candidates->bytes += NUMBER + n + 1;
    return 0;
}

static size_t find(const struct candidates *candidates, const struct hash_table *table,
                   const void *key, size_t n)
{
    uint32_t number;
    uint64_t entry = table->used ? hash_table_find(table, candidates->text.at, key, n) : 0;
    if (entry == 0)
        return SIZE_MAX;
    memcpy(&number, (const char *)candidates->text.at + entry - 1, NUMBER);
    return number;
}

/* The key of a document, in candidates->key. NULL and a fault: no memory. */
static const char *document_key(struct candidates *candidates, size_t q, const char *name, size_t n,
                                struct fault *fault)
{
    uint32_t number = (uint32_t)q;
    char *key = buffer_for(&candidates->key, NUMBER + n, 1, fault);
    if (!key)
        return NULL;
    memcpy(key, &number, NUMBER);
    memcpy(key + NUMBER, name, n);
    return key;
}

static int add_document(struct candidates *candidates, size_t q, size_t i, const char *name,
                        struct fault *fault)
{
    size_t n = strlen(name);
    const char *key = document_key(candidates, q, name, n, fault);
    if (!key)
        return -1;
    if (n == 0)
        return round_names_wrong(i, fault);
    if (find(candidates, &candidates->documents, key, NUMBER + n) != SIZE_MAX)
        return fault_data(fault, "document %.60s comes twice: a document is known by its name",
                          name);
    return add(candidates, &candidates->documents, i, key, NUMBER + n, fault);
}

/* Enters round q. 0 or a fault. */
static int enter(struct candidates *candidates, size_t q, const struct round *round,
                 struct fault *fault)
{
    const char *const *name;
    if (!round->qid)
        return fault_data(fault, "a candidate needs a qid, by which the log names its query");
    if (find(candidates, &candidates->queries, round->qid, strlen(round->qid)) != SIZE_MAX)
        return fault_data(fault, "the qid comes twice: all candidates of a query are one round");
    if (round_names(round, &candidates->names, &name, fault) < 0)
        return -1;
    if (!name)
        return fault_data(fault, "its documents have no names, by which the log names them: write "
                          "# NAME at the end of each line for svm2bin");
    for (size_t i = 0; i < round->docs; i++)
        if (add_document(candidates, q, i, name[i], fault) < 0)
            return -1;
    return add(candidates, &candidates->queries, q, round->qid, strlen(round->qid), fault);
}

int candidates_read(struct candidates *candidates, const char *file, struct round *round,
                    struct watch *watch, struct fault *fault)
{
    char place[ROUND_NAME];
    candidates->queries.key = qid_of;
    candidates->documents.key = name_of;
    if (round_store_add(&candidates->store, file, watch, fault) < 0)
        return -1;
    for (size_t q = 0; q < candidates->store.rounds; q++) {
        if (round_store_round(&candidates->store, q, round, fault) < 0 ||
            round_read(round, fault) < 0 || enter(candidates, q, round, fault) < 0) {
            if (fault->kind == FAULT_DATA)
                fault_place(fault, "%s: %s: ", strcmp(file, "-") == 0 ? "<stdin>" : file,
                            round_name(round, place));
            return -1;
        }
        if (q % 1024 == 0 && watch_stopped(watch, 0, fault) < 0)
            return -1;
    }
    return 0;
}

size_t candidates_query(const struct candidates *candidates, const char *qid)
{
    return find(candidates, &candidates->queries, qid, strlen(qid));
}

size_t candidates_document(struct candidates *candidates, size_t q, const char *name,
                           struct fault *fault)
{
    size_t n = strlen(name);
    const char *key = document_key(candidates, q, name, n, fault);
    return key ? find(candidates, &candidates->documents, key, NUMBER + n) : SIZE_MAX;
}

void candidates_close(struct candidates *candidates)
{
    round_store_close(&candidates->store);
    hash_table_close(&candidates->queries);
    hash_table_close(&candidates->documents);
    buffer_free(&candidates->text);
    buffer_free(&candidates->names);
    buffer_free(&candidates->key);
}
