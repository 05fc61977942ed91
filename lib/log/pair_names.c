#include "log/pair_names.h"

#include <string.h>

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

/* Adds an entry with its key of n bytes. Returns where the key begins. */
static size_t add(struct pair_names *names, struct hash_table *table, size_t number,
                  const void *key, size_t n, struct fault *fault)
{
    uint32_t value = (uint32_t)number;
    size_t at = names->bytes;
    char *text = buffer_for(&names->text, at + NUMBER + n + 1, 1, fault);
    if (!text)
        return PAIR_NAMES_NONE;
    memcpy(text + at, &value, NUMBER);
    memcpy(text + at + NUMBER, key, n);
    text[at + NUMBER + n] = '\0';
    if (hash_table_add(table, text, at + 1, fault) < 0)
        return PAIR_NAMES_NONE;
    names->bytes += NUMBER + n + 1;
    return at + NUMBER;
}

static size_t find_number(const struct pair_names *names, const struct hash_table *table,
                          const void *key, size_t n)
{
    uint32_t number;
    uint64_t entry = table->used ? hash_table_find(table, names->text.at, key, n) : 0;
    if (entry == 0)
        return PAIR_NAMES_NONE;
    memcpy(&number, (const char *)names->text.at + entry - 1, NUMBER);
    return number;
}

/* The key of a document, in names->key. NULL and a fault: no memory. */
static const char *document_key(struct pair_names *names, size_t q, const char *name, size_t n,
                                struct fault *fault)
{
    uint32_t number = (uint32_t)q;
    char *key = buffer_for(&names->key, NUMBER + n, 1, fault);
    if (!key)
        return NULL;
    memcpy(key, &number, NUMBER);
    memcpy(key + NUMBER, name, n);
    return key;
}

size_t pair_names_query(const struct pair_names *names, const char *qid)
{
    return find_number(names, &names->queries, qid, strlen(qid));
}

size_t pair_names_document(struct pair_names *names, size_t q, const char *name, size_t n,
                           struct fault *fault)
{
    const char *key = document_key(names, q, name, n, fault);
    return key ? find_number(names, &names->documents, key, NUMBER + n) : PAIR_NAMES_NONE;
}

size_t pair_names_add_query(struct pair_names *names, const char *qid, size_t number,
                            struct fault *fault)
{
    names->queries.key = qid_of;
    return add(names, &names->queries, number, qid, strlen(qid), fault);
}

size_t pair_names_add_document(struct pair_names *names, size_t q, const char *name, size_t n,
                               size_t number, struct fault *fault)
{
    names->documents.key = name_of;
    const char *key = document_key(names, q, name, n, fault);
    size_t at = key ? add(names, &names->documents, number, key, NUMBER + n, fault)
                    : PAIR_NAMES_NONE;
    return at == PAIR_NAMES_NONE ? at : at + NUMBER;
}

void pair_names_close(struct pair_names *names)
{
    hash_table_close(&names->queries);
    hash_table_close(&names->documents);
    buffer_free(&names->text);
    buffer_free(&names->key);
}
