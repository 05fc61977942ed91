#include "stream/round_copy.h"

#include <stdlib.h>
#include <string.h>

#include "stream/round_columns.h"

/* What the keys of a round say is in its fields from `t` to the last one before `label`. */
enum { KEYS_AT = offsetof(struct round, t), KEYS_END = offsetof(struct round, label) };

struct round_copy {
    enum record_crc has_crc;
    uint32_t crc;
    uint64_t bytes;
    size_t keys, columns;
    const char *qid, *request, *made;
    unsigned char fields[KEYS_END - KEYS_AT];
    struct column column[]; /* column[columns]; after these key[keys], and then the text */
};

static struct key *keys_of(const struct round_copy *copy)
{
    return (struct key *)(copy->column + copy->columns);
}

struct round_copy *round_copy_make(const struct round *round, size_t *bytes, struct fault *fault)
{
    const struct record *record = round->record;
    size_t front = sizeof(struct round_copy) + record->columns * sizeof *record->column +
                   record->keys * sizeof *record->key;
    *bytes = front + record->used;
    struct round_copy *copy = malloc(*bytes);
    if (!copy) {
        fault_no_room(fault, *bytes);
        return NULL;
    }
    *copy = (struct round_copy){ .has_crc = record->has_crc, .crc = record->crc,
                                 .bytes = record->bytes, .keys = record->keys,
                                 .columns = record->columns };
    memcpy(copy->fields, (const char *)round + KEYS_AT, sizeof copy->fields);
    char *text = memcpy((char *)copy + front, record->text, record->used);
    struct key *key = keys_of(copy);
    for (size_t k = 0; k < record->keys; k++) {
        key[k] = record->key[k];
        key[k].name = text + (record->key[k].name - record->text);
        key[k].value = text + (record->key[k].value - record->text);
    }
    for (size_t c = 0; c < record->columns; c++) {
        copy->column[c] = record->column[c];
        copy->column[c].name = text + (record->column[c].name - record->text);
        copy->column[c].data = NULL;
    }
    copy->qid = round->qid ? text + (round->qid - record->text) : NULL;
    copy->request = round->request ? text + (round->request - record->text) : NULL;
    copy->made = round->made ? text + (round->made - record->text) : NULL;
    return copy;
}

void round_copy_restore(const struct round_copy *copy, struct round *round)
{
    struct record *record = round->record;
    record_start(record, RECORD_ROUND);
    record->has_crc = copy->has_crc;
    record->crc = copy->crc;
    record->bytes = copy->bytes;
    record->keys = copy->keys;
    record->columns = copy->columns;
    memcpy(record->key, keys_of(copy), copy->keys * sizeof *record->key);
    memcpy(record->column, copy->column, copy->columns * sizeof *record->column);
    round_columns_clear(round);
    round_columns_find(record, round->column);
    memcpy((char *)round + KEYS_AT, copy->fields, sizeof copy->fields);
    round->qid = copy->qid;
    round->request = copy->request;
    round->made = copy->made;
    round->restored = true;
}
