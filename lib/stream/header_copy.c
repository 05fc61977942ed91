#include "stream/header_copy.h"

#include <stdlib.h>
#include <string.h>

struct header_copy {
    enum record_kind kind;
    enum record_crc has_crc;
    uint32_t crc;
    uint64_t rounds, bytes;
    size_t keys, columns;
    struct key *key;       /* key[keys]       */
    struct column *column; /* column[columns] */
};

/* Copies a word to *at, and moves *at after the copy. */
static const char *copy_word(char **at, const char *word)
{
    size_t n = strlen(word) + 1;
    char *copied = memcpy(*at, word, n);
    *at += n;
    return copied;
}

static size_t front_bytes(const struct record *record)
{
    return sizeof(struct header_copy) + record->columns * sizeof(struct column) +
           record->keys * sizeof(struct key);
}

size_t header_copy_bytes(const struct record *record)
{
    size_t text = 0;
    for (size_t k = 0; k < record->keys; k++)
        text += strlen(record->key[k].name) + strlen(record->key[k].value) + 2;
    for (size_t c = 0; c < record->columns; c++)
        text += strlen(record->column[c].name) + 1;
    return front_bytes(record) + text;
}

struct header_copy *header_copy_make(const struct record *record, struct fault *fault)
{
    size_t front = front_bytes(record), bytes = header_copy_bytes(record);
    struct header_copy *copy = malloc(bytes);
    if (!copy) {
        fault_memory(fault, bytes);
        return NULL;
    }
    *copy = (struct header_copy){
        .kind = record->kind, .has_crc = record->has_crc, .crc = record->crc,
        .rounds = record->rounds, .bytes = record->bytes, .keys = record->keys,
        .columns = record->columns, .column = (struct column *)(copy + 1)
    };
    copy->key = (struct key *)(copy->column + record->columns);
    char *at = (char *)copy + front;
    for (size_t k = 0; k < record->keys; k++) {
        copy->key[k] = record->key[k];
        copy->key[k].name = copy_word(&at, record->key[k].name);
        copy->key[k].value = copy_word(&at, record->key[k].value);
    }
    for (size_t c = 0; c < record->columns; c++) {
        copy->column[c] = record->column[c];
        copy->column[c].name = copy_word(&at, record->column[c].name);
        copy->column[c].data = NULL;
    }
    return copy;
}

void header_copy_restore(const struct header_copy *copy, struct record *record)
{
    record_start(record, copy->kind);
    record->has_crc = copy->has_crc;
    record->crc = copy->crc;
    record->rounds = copy->rounds;
    record->bytes = copy->bytes;
    record->keys = copy->keys;
    record->columns = copy->columns;
    memcpy(record->key, copy->key, copy->keys * sizeof *copy->key);
    memcpy(record->column, copy->column, copy->columns * sizeof *copy->column);
}
