#include "memory/memory_ways.h"

#include <string.h>

#include "math/fingerprint.h"
#include "math/rng.h"
#include "stream/round.h"

static const char KEYS[] = "keys";
static const char *const words[] = { "names", "features", "items", "rows" }; /* bit 0, 1, ... */
enum { WAYS = sizeof words / sizeof *words };

struct memory_secret memory_secret(const struct settings *settings)
{
    struct rng rng = rng_at((uint64_t)settings->value[SETTING_SEED], RNG_MEMORY, 0);
    uint64_t k0 = rng_bits(&rng);
    return (struct memory_secret){ k0, rng_bits(&rng) };
}

/* ---- rounds ---- */

static int check_column(const struct column *column, enum column_type type, struct fault *fault)
{
    if (!column || column->type == type)
        return 0;
    return fault_data(fault, "the column '%s' is of type %s, not %s", column->name,
                      column_type_name(column->type), column_type_name(type));
}

/* The fingerprints of a round, its column's or made now; NULL where it has no features. */
static int find_fingerprints(struct memory_keys *keys, const struct round *round,
                             const uint64_t **fingerprint, struct fault *fault)
{
    struct matrix x;
    *fingerprint = round->fingerprint;
    if (*fingerprint)
        return 0;
    if (round_matrix(round, &x, fault) < 0) return -1;
    if (x.kind == MATRIX_UNIT)
        return 0;
    uint64_t *hash = buffer_for(&keys->hashes, x.docs, sizeof *hash, fault);
    *fingerprint = hash;
    return hash ? fingerprint_rows(&x, &keys->scratch, hash, fault) : -1;
}

/* A fixed list after features, or the reverse, is another set of documents. */
static int check_way(unsigned way, unsigned ways, struct fault *fault)
{
    if (way == MEMORY_ITEMS && ways & MEMORY_FEATURES)
        return fault_data(fault, "a fixed list (dim=0) without names, and the model knows "
                          "documents by their features: give features, or names, or learn into "
                          "another model");
    if (way == MEMORY_FEATURES && ways & MEMORY_ITEMS)
        return fault_data(fault, "documents with features and without names, and the model knows "
                          "those of a fixed list by their rows: give names, or learn into another "
                          "model");
    return 0;
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

/* Starts the keys by names: 0; 1 where the round has none that tell its documents apart; or a
 * fault. */
static int start_names(struct memory_keys *keys, const struct round *round,
                       struct memory_secret secret, struct fault *fault)
{
    const struct column *name = record_column(round->record, ROUND_NAMES);
    if (!name)
        return 1;
    if (check_column(name, COLUMN_U1, fault) < 0) return -1;
    const struct memory_documents documents = { .qid = round->qid, .docs = round->docs,
                                                .bytes = (size_t)name->count,
                                                .names = name->data };
    return memory_keys_round(keys, &documents, secret.k0, secret.k1, fault);
}

static int start_features(struct memory_keys *keys, const struct round *round,
                          struct memory_secret secret, struct fault *fault)
{
    struct memory_documents documents = { .qid = round->qid, .docs = round->docs };
    return find_fingerprints(keys, round, &documents.fingerprint, fault) < 0 ? -1
               : memory_keys_round(keys, &documents, secret.k0, secret.k1, fault);
}

int memory_ways_round(struct memory_keys *keys, const struct round *round,
                      struct memory_secret secret, unsigned ways, memory_knows *knows,
                      const void *kept, unsigned *way, struct fault *fault)
{
    int nameless = start_names(keys, round, secret, fault);
    if (nameless < 0 || (nameless && start_features(keys, round, secret, fault) < 0)) return -1;
    *way = !nameless ? MEMORY_NAMES
           : keys->documents.fingerprint ? MEMORY_FEATURES : MEMORY_ITEMS;
    if (check_way(*way, ways, fault) < 0) return -1;
    if (ways & MEMORY_ROWS && fall_back(keys, knows, kept))
        *way = MEMORY_ROWS;
    return 0;
}

/* ---- models ---- */

int memory_ways_save(unsigned ways, struct model *model, struct fault *fault)
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

int memory_ways_load(unsigned *ways, const struct model *model, struct fault *fault)
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
