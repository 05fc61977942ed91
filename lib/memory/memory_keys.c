#include "memory/memory_keys.h"

#include <string.h>

#include "base/unaligned.h"
#include "kernels/siphash_eight.h"
#include "math/fingerprint.h"
#include "math/rng.h"

static const char KEYS[] = "keys";
static const char *const words[] = { "names", "features", "items", "rows" }; /* bit 0, 1, ... */
enum { WAYS = sizeof words / sizeof *words };

struct memory_secret memory_secret(const struct settings *settings)
{
    struct rng rng = rng_at((uint64_t)settings->value[SETTING_SEED], RNG_MEMORY, 0);
    uint64_t k0 = rng_bits(&rng);
    return (struct memory_secret){ k0, rng_bits(&rng) };
}

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

/* ---- documents ---- */

uint32_t memory_key_client(const struct siphash *query, const char *client, uint64_t number)
{
    uint64_t little = little_u8(number);
    uint64_t key = client ? make_key(query, "c", 1, client, strlen(client))
                          : make_key(query, "u", 1, &little, sizeof little);
    uint32_t hash = (uint32_t)key;
    return hash ? hash : 1;
}

uint64_t memory_key_anywhere(uint64_t k0, uint64_t k1, const char *client)
{
    struct siphash all = memory_query(k0, k1, ""); /* no query has this qid */
    return make_key(&all, "c", 1, client, strlen(client));
}

int memory_keys_round(struct memory_keys *keys, const struct memory_documents *documents,
                      uint64_t k0, uint64_t k1, struct fault *fault)
{
    if (!documents->qid)
        return fault_data(fault, "no qid, by which memory knows each query: give qids in the text, "
                          "or use -a ridge");
    keys->documents = *documents;
    keys->query = memory_query(k0, k1, documents->qid);
    keys->key = NULL;
    keys->place = NULL;
    if (documents->names)
        return start_names(keys, fault);
    if (!documents->fingerprint)
        return 0;
    uint32_t *place = buffer_for(&keys->places, documents->docs, sizeof *place, fault);
    keys->place = place;
    return place ? fingerprint_places(documents->docs, documents->fingerprint, k0 ^ k1,
                                      &keys->scratch, place, fault) : -1;
}

void memory_keys_by_row(struct memory_keys *keys)
{
    keys->key = NULL;
    keys->place = NULL;
}

int memory_keys_all(struct memory_keys *keys, struct fault *fault)
{
    size_t docs = keys->documents.docs;
    const uint64_t *fingerprint = keys->documents.fingerprint;
    if (keys->key)
        return 0;
    uint64_t *key = buffer_for(&keys->keys, docs, sizeof *key, fault);
    for (size_t i = 0; key && keys->place && i < docs; i += SIPHASH_EIGHT) {
        uint64_t low[SIPHASH_EIGHT] = { 0 }, high[SIPHASH_EIGHT] = { 0 }, out[SIPHASH_EIGHT];
        size_t most = docs - i < SIPHASH_EIGHT ? docs - i : SIPHASH_EIGHT;
        for (size_t l = 0; l < most; l++) { /* the bytes of memory_key_features */
            low[l] = fingerprint[i + l] << 8 | 'f';
            high[l] = (uint64_t)keys->place[i + l] << 8 | fingerprint[i + l] >> 56;
        }
        siphash_eight(&keys->query, low, high, 1 + sizeof *fingerprint + sizeof *keys->place, out);
        for (size_t l = 0; l < most; l++)
            key[i + l] = out[l] ? out[l] : 1;
    }
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

/* ---- rounds ---- */

/* Points *fingerprint at those of a round without the column; NULL where it has no features. */
static int make_fingerprints(struct memory_keys *keys, const struct round *round,
                             const uint64_t **fingerprint, struct fault *fault)
{
    struct matrix x;
    if (round_matrix(round, &x, fault) < 0) return -1;
    if (x.kind == MATRIX_UNIT)
        return 0;
    uint64_t *hash = buffer_for(&keys->hashes, x.docs, sizeof *hash, fault);
    *fingerprint = hash;
    return hash ? fingerprint_rows(&x, &keys->scratch, hash, fault) : -1;
}

/* A fixed list after features, or the reverse, is another set of documents. */
static int report_way(unsigned way, struct fault *fault)
{
    return fault_data(fault, way == MEMORY_ITEMS
                      ? "a fixed list (dim=0) without names, and the model knows documents by "
                        "their features: give features, or names, or learn into another model"
                      : "documents with features and without names, and the model knows those of a "
                        "fixed list by their rows: give names, or learn into another model");
}

static bool any_known(const struct memory_keys *keys, memory_knows *knows, const void *kept)
{
    bool known = false;
    for (size_t i = 0; i < keys->documents.docs && !known; i++)
        known = knows(kept, memory_keys_of(keys, i));
    return known;
}

/* A query of a model of before: true, and known by rows, where its rows alone are known. */
static bool fall_back(struct memory_keys *keys, memory_knows *knows, const void *kept)
{
    struct memory_keys better = *keys;
    if (any_known(keys, knows, kept))
        return false;
    memory_keys_by_row(keys);
    if (any_known(keys, knows, kept))
        return true;
    *keys = better;
    return false;
}

int memory_keys_start(struct memory_keys *keys, const struct round *round,
                      struct memory_secret secret, unsigned ways, memory_knows *knows,
                      const void *kept, unsigned *way, struct fault *fault)
{
    struct memory_documents documents = { .qid = round->qid, .docs = round->docs };
    const struct column *name = record_column(round->record, ROUND_NAMES);
    int nameless = 1;
    if (name) {
        documents.names = name->data;
        documents.bytes = (size_t)name->count;
        nameless = memory_keys_round(keys, &documents, secret.k0, secret.k1, fault);
    }
    if (nameless > 0) {
        documents.names = NULL;
        documents.fingerprint = round->fingerprint;
        if ((!round->fingerprint &&
             make_fingerprints(keys, round, &documents.fingerprint, fault) < 0) ||
            memory_keys_round(keys, &documents, secret.k0, secret.k1, fault) < 0)
            return -1;
    }
    if (nameless < 0) return -1;
    *way = !nameless ? MEMORY_NAMES : documents.fingerprint ? MEMORY_FEATURES : MEMORY_ITEMS;
    if ((*way == MEMORY_ITEMS && ways & MEMORY_FEATURES) ||
        (*way == MEMORY_FEATURES && ways & MEMORY_ITEMS))
        return report_way(*way, fault);
    if (ways & MEMORY_ROWS && fall_back(keys, knows, kept))
        *way = MEMORY_ROWS;
    return 0;
}

/* ---- models ---- */

int memory_keys_save(unsigned ways, struct model *model, struct fault *fault)
{
    char text[40] = "";
    for (unsigned i = 0; i < WAYS; i++)
        if (ways & 1u << i) {
            strcat(text, *text ? "," : "");
            strcat(text, words[i]);
        }
    return *text ? model_set(model, KEYS, text, fault) : 0;
}

/* The bit of the word of n bytes; 0: none has it. */
static unsigned bit_of(const char *word, size_t n)
{
    unsigned i = 0;
    while (i < WAYS && (strlen(words[i]) != n || strncmp(words[i], word, n) != 0))
        i++;
    return i < WAYS ? 1u << i : 0;
}

int memory_keys_load(unsigned *ways, const struct model *model, struct fault *fault)
{
    const char *text = record_key(&model->record, KEYS);
    *ways = 0;
    while (text) {
        size_t n = strcspn(text, ",");
        unsigned bit = bit_of(text, n);
        if (!bit)
            return fault_data(fault, "model: keys=%.40s: each of them must be names, features, "
                              "items or rows", text);
        *ways |= bit;
        text = text[n] ? text + n + 1 : NULL;
    }
    return 0;
}

void memory_keys_close(struct memory_keys *keys)
{
    buffer_free(&keys->keys);
    buffer_free(&keys->places);
    buffer_free(&keys->hashes);
    buffer_free(&keys->scratch);
}
