#include "memory/memory_keys.h"

#include <string.h>

#include "base/unaligned.h"
#include "kernels/siphash_eight.h"
#include "math/fingerprint.h"

struct siphash memory_query(uint64_t k0, uint64_t k1, const char *qid)
{
    struct siphash query = siphash_start(k0, k1);
    siphash_add(&query, qid, strlen(qid) + 1);
    return query;
}

/* A letter, and what follows it. */
static uint64_t make_key(const struct siphash *query, const void *letter, size_t n,
                         const void *bytes, size_t more)
{
    struct siphash document = *query;
    siphash_add(&document, letter, n);
    siphash_add(&document, bytes, more);
    uint64_t key = siphash_end(&document);
    return key ? key : 1;
}

uint64_t memory_key_name(const struct siphash *query, const void *name, size_t n)
{
    return make_key(query, "n", 1, name, n);
}

uint64_t memory_key_features(const struct siphash *query, uint64_t fingerprint, uint32_t place)
{
    unsigned char bytes[1 + sizeof fingerprint + sizeof place] = "f";
    little_numbers(&fingerprint, 1, sizeof fingerprint);
    little_numbers(&place, 1, sizeof place);
    memcpy(bytes + 1, &fingerprint, sizeof fingerprint);
    memcpy(bytes + 1 + sizeof fingerprint, &place, sizeof place);
    return make_key(query, bytes, sizeof bytes, "", 0);
}

uint64_t memory_key_row(const struct siphash *query, uint32_t row)
{
    little_numbers(&row, 1, sizeof row);
    return make_key(query, "r", 1, &row, sizeof row);
}

uint64_t memory_key_query(const struct siphash *query)
{
    return make_key(query, "q", 1, "", 0);
}

/* ---- names ---- */

/* 0; 1 where a name is empty; or a fault. */
static int hash_names(const struct memory_documents *documents, const struct siphash *query,
                      uint64_t *key, struct fault *fault)
{
    const char *at = documents->names, *end = at + documents->bytes;
    int lacks = 0;
    for (size_t i = 0; i < documents->docs; i++) {
        const char *nul = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
        if (!nul)
            return fault_data(fault, "the column 'name' must hold %zu names", documents->docs);
        key[i] = memory_key_name(query, at, (size_t)(nul - at));
        lacks |= nul == at;
        at = nul + 1;
    }
    if (at < end)
        return fault_data(fault, "the column 'name' holds more than %zu names", documents->docs);
    return lacks;
}

/* A table of at least twice as many places as documents: how many, a power of 2. */
static size_t places_for(size_t docs)
{
    size_t places = 16;
    while (places < 2 * docs)
        places *= 2;
    return places;
}

/* 0 where the keys differ, 1 where two are equal, or a fault. */
static int find_equal(size_t docs, const uint64_t *key, struct buffer *scratch, struct fault *fault)
{
    size_t places = places_for(docs);
    uint64_t *table = buffer_for(scratch, places, sizeof *table, fault);
    if (!table) return -1;
    memset(table, 0, places * sizeof *table);
    for (size_t i = 0; i < docs; i++) {
        size_t at = (size_t)(key[i] & (places - 1));
        while (table[at] && table[at] != key[i])
            at = (at + 1) & (places - 1);
        if (table[at])
            return 1;
        table[at] = key[i];
    }
    return 0;
}

static int start_names(struct memory_keys *keys, struct fault *fault)
{
    size_t docs = keys->documents.docs;
    uint64_t *key = buffer_for(&keys->keys, docs, sizeof *key, fault);
    keys->key = key;
    int lacks = key ? hash_names(&keys->documents, &keys->query, key, fault) : -1;
    return lacks ? lacks : find_equal(docs, key, &keys->scratch, fault);
}

/* ---- features ---- */

static int start_features(struct memory_keys *keys, uint64_t secret, struct fault *fault)
{
    const struct memory_documents *documents = &keys->documents;
    uint32_t *place = buffer_for(&keys->places, documents->docs, sizeof *place, fault);
    keys->place = place;
    return place ? fingerprint_places(documents->docs, documents->fingerprint, secret,
                                      &keys->scratch, place, fault) : -1;
}

/* ---- rounds ---- */

int memory_keys_round(struct memory_keys *keys, const struct memory_documents *documents,
                      uint64_t k0, uint64_t k1, struct fault *fault)
{
    if (!documents->qid)
        return fault_data(fault, "no qid, by which memory knows each query: give qids in the text, "
                          "or group sizes with svm2bin -q, or use -a ridge");
    keys->documents = *documents;
    keys->query = memory_query(k0, k1, documents->qid);
    memory_keys_by_row(keys);
    if (documents->names)
        return start_names(keys, fault);
    return documents->fingerprint ? start_features(keys, k0 ^ k1, fault) : 0;
}

void memory_keys_by_row(struct memory_keys *keys)
{
    keys->key = NULL;
    keys->place = NULL;
}

/* memory_key_features of `docs` documents, at most eight, from number i on. */
static void hash_eight(const struct memory_keys *keys, size_t i, size_t docs, uint64_t *key)
{
    uint64_t low[SIPHASH_EIGHT] = { 0 }, high[SIPHASH_EIGHT] = { 0 }, out[SIPHASH_EIGHT];
    const uint64_t *fingerprint = keys->documents.fingerprint + i;
    for (size_t l = 0; l < docs; l++) {
        low[l] = fingerprint[l] << 8 | 'f';
        high[l] = (uint64_t)keys->place[i + l] << 8 | fingerprint[l] >> 56;
    }
    siphash_eight(&keys->query, low, high, 1 + sizeof *fingerprint + sizeof *keys->place, out);
    for (size_t l = 0; l < docs; l++)
        key[i + l] = out[l] ? out[l] : 1;
}

int memory_keys_all(struct memory_keys *keys, struct fault *fault)
{
    size_t docs = keys->documents.docs;
    if (keys->key)
        return 0;
    uint64_t *key = buffer_for(&keys->keys, docs, sizeof *key, fault);
    for (size_t i = 0; key && keys->place && i < docs; i += SIPHASH_EIGHT)
        hash_eight(keys, i, docs - i < SIPHASH_EIGHT ? docs - i : SIPHASH_EIGHT, key);
    for (size_t i = 0; key && !keys->place && i < docs; i++)
        key[i] = memory_keys_of(keys, i);
    keys->key = key;
    return key ? 0 : -1;
}

uint64_t memory_keys_of(const struct memory_keys *keys, size_t i)
{
    if (keys->key)
        return keys->key[i];
    return keys->place ? memory_key_features(&keys->query, keys->documents.fingerprint[i],
                                             keys->place[i])
                       : memory_key_row(&keys->query, (uint32_t)i);
}

void memory_keys_close(struct memory_keys *keys)
{
    buffer_free(&keys->keys);
    buffer_free(&keys->places);
    buffer_free(&keys->hashes);
    buffer_free(&keys->scratch);
}
