/*
 * memory_keys: keys are SipHash of query and document, of names, features or rows, whatever else is
 * in the round; and rounds that a memory cannot tell apart are faults.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "memory/memory_keys.h"

enum { DOCS = 300 };

static unsigned long wrong;

static void hold(bool right, const char *what, size_t at)
{
    if (!right && wrong++ < 20)
        fprintf(stderr, "memory_keys: %s, at %zu\n", what, at);
}

/* A key depends on both names and on the secret. */
static void check_key(void)
{
    struct siphash a = memory_query(1, 2, "10"), b = memory_query(1, 2, "101"),
                   c = memory_query(1, 3, "10"), d = memory_query(2, 2, "10");
    static const char text[] = "10\0nGX01", row[] = "10\0r\1\0\0", itself[] = "10\0q";
    static const char features[] = "10\0f\10\7\6\5\4\3\2\1\2\0\0";
    struct siphash whole = siphash_start(1, 2), rows = whole, own = whole, made = whole;
    uint32_t one = 1;
    siphash_add(&whole, text, sizeof text - 1);
    siphash_add(&rows, row, sizeof row);
    siphash_add(&own, itself, sizeof itself - 1);
    siphash_add(&made, features, sizeof features);
    hold(memory_key_query(&a) == siphash_end(&own), "the key of a query", 0);
    hold(memory_key_features(&a, 0x0102030405060708u, 2) == siphash_end(&made), "of features", 0);
    hold(memory_key_name(&a, "GX01", 4) == siphash_end(&whole), "the key of a name", 0);
    hold(memory_key_row(&a, 1) == siphash_end(&rows), "the key of a row", 0);
    uint64_t keys[] = { memory_key_name(&a, "1", 1), memory_key_name(&b, "", 0),
                        memory_key_name(&b, "1", 1), memory_key_name(&c, "1", 1),
                        memory_key_name(&d, "1", 1), memory_key_name(&a, "", 0),
                        memory_key_row(&a, 1), memory_key_name(&a, &one, 4),
                        memory_key_row(&b, 1), memory_key_row(&a, 2),
                        memory_key_features(&a, 1, 0), memory_key_features(&a, 0, 1),
                        memory_key_query(&a), memory_key_query(&b) };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        for (size_t j = 0; j < i; j++)
            hold(keys[i] != keys[j] && keys[i], "one key for two pairs", i);
}

/* The keys of a round are those of its documents one by one, by rows, names and features. */
static void check_round(size_t docs)
{
    struct memory_keys keys = { 0 };
    struct fault fault = { FAULT_NONE, "" };
    struct siphash query = memory_query(5, 6, "q%20x");
    char names[8 * DOCS];
    uint64_t fingerprint[DOCS];
    struct memory_documents documents = { .qid = "q%20x", .docs = docs };
    hold(memory_keys_round(&keys, &documents, 5, 6, &fault) == 0, fault.text, docs);
    for (size_t i = 0; i < docs; i++)
        hold(memory_keys_of(&keys, i) == memory_key_row(&query, (uint32_t)i), "keys of rows", i);
    for (size_t i = 0; i < docs; i++)
        fingerprint[i] = i % 3 ? 7 + 1000 * (i / 100) : i;
    documents.fingerprint = fingerprint;
    hold(memory_keys_round(&keys, &documents, 5, 6, &fault) == 0, fault.text, docs);
    for (size_t i = 0; i < docs; i++) {
        uint32_t place = 0;
        for (size_t j = 0; j < i; j++)
            place += fingerprint[j] == fingerprint[i];
        hold(memory_keys_of(&keys, i) == memory_key_features(&query, fingerprint[i], place),
             "keys of features", i);
    }
    hold(memory_keys_all(&keys, &fault) == 0, fault.text, docs);
    for (size_t i = 0; i < docs; i++)
        for (size_t j = 0; j < i; j++)
            hold(keys.key[i] != keys.key[j], "two documents with one key", i);
    for (size_t i = 0; i < docs; i++)
        documents.bytes += (size_t)sprintf(names + documents.bytes, "d%zu", i) + 1;
    documents.names = names;
    hold(memory_keys_round(&keys, &documents, 5, 6, &fault) == 0, fault.text, docs);
    for (size_t i = 0, at = 0; i < docs; at += strlen(names + at) + 1, i++)
        hold(memory_keys_of(&keys, i) == memory_key_name(&query, names + at, strlen(names + at)),
             "of names", i);
    memory_keys_by_row(&keys);
    for (size_t i = 0; i < docs; i++)
        hold(memory_keys_of(&keys, i) == memory_key_row(&query, (uint32_t)i), "by row", i);
    memory_keys_close(&keys);
}

static void check_fault(const char *qid, size_t docs, const char *names, size_t bytes,
                        const char *says)
{
    struct memory_keys keys = { 0 };
    struct fault fault = { FAULT_NONE, "" };
    const struct memory_documents documents = { .qid = qid, .docs = docs, .bytes = bytes,
                                                .names = names };
    hold(memory_keys_round(&keys, &documents, 1, 2, &fault) < 0 && fault.kind == FAULT_DATA &&
         strstr(fault.text, says), fault.text, bytes);
    memory_keys_close(&keys);
}

/* Whether names tell documents apart: 0, or 1 where they do not. */
static void check_told(size_t docs, const char *names, size_t bytes, int result)
{
    struct memory_keys keys = { 0 };
    struct fault fault = { FAULT_NONE, "" };
    const struct memory_documents documents = { .qid = "q", .docs = docs, .bytes = bytes,
                                                .names = names };
    hold(memory_keys_round(&keys, &documents, 1, 2, &fault) == result, "names that differ", bytes);
    memory_keys_close(&keys);
}

int main(void)
{
    static const size_t docs[] = { 0, 1, 7, 8, 9, 100, DOCS };
    check_key();
    for (size_t i = 0; i < sizeof docs / sizeof *docs; i++)
        check_round(docs[i]);
    check_fault(NULL, 2, "a\0b", 4, "no qid");
    check_fault(NULL, 2, NULL, 0, "no qid");
    check_fault("1", 2, "a\0b", 3, "must hold 2 names");
    check_fault("1", 3, "a\0b", 4, "must hold 3 names");
    check_fault("1", 1, "", 0, "must hold 1 names");
    check_fault("1", 1, "a\0b", 4, "more than 1 names");
    check_fault("1", 0, "", 1, "more than 0 names");
    check_fault("1", 3, "a\0\0", 3, "must hold 3 names");
    check_told(4, "a\0b\0c\0b", 8, 1);
    check_told(3, "a\0\0", 3 + 1, 1);
    check_told(2, "\0a", 3, 1);
    check_told(4, "a\0b\0c\0d", 8, 0);
    if (wrong)
        fprintf(stderr, "memory_keys: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
