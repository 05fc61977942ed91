#include "stream/round_store.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream/record_header.h"
#include "stream/reader.h"
#include "stream/round_format.h"
#include "stream/round_fields.h"

struct place { /* of one round */
    size_t at;             /* where its header line begins in that stream */
    uint32_t stream, line; /* bytes of the line */
};

/* So many bytes of headers are kept parsed, for the first rounds. Other lines are parsed each
 * time, which takes longer, and next to no memory. */
enum { PARSED = 64 << 20 };

/* What is prefetched of a round, in lines of the cache: most of a parsed header, and the beginning
 * of a payload, after which the processor prefetches by itself, and dense.c does. */
enum { LINE = 64, HEADER = 512, PAYLOAD = 2048 };

/* ---- parsed headers ---- */

/* What the keys of a round say is in its fields from `t` to the last one before `label`. */
enum { KEYS_AT = offsetof(struct round, t), KEYS_END = offsetof(struct round, label) };

/* What the header of a round says, in one block of memory. The round is made from it again without
 * parsing. */
struct round_copy {
    enum record_crc has_crc;
    uint32_t crc;
    uint64_t bytes;
    size_t keys, columns;
    unsigned char fields[KEYS_END - KEYS_AT];
    struct column column[]; /* column[columns]; after these key[keys], and then the text */
};

static struct key *keys_of(const struct round_copy *copy)
{
    return (struct key *)(copy->column + copy->columns);
}

/* A copy of the header of a round that has just been read; *bytes is the memory that it takes. NULL
 * with a fault where there is no memory. */
static struct round_copy *make_copy(const struct round *round, size_t *bytes, struct fault *fault)
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
    for (size_t k = 0; k < ROUND_KEYS; k++) {
        const char *value; /* in the text of the header: it points into the copy then */
        unsigned char *field = copy->fields + format_keys[k].value - KEYS_AT;
        if (format_keys[k].type < FORMAT_TEXT)
            continue;
        memcpy(&value, field, sizeof value);
        value = value ? text + (value - record->text) : NULL;
        memcpy(field, &value, sizeof value);
    }

    return copy;
}

/* ---- rounds ---- */

static int keep_parsed(struct round_store *store, const struct round *round, struct fault *fault)
{
    size_t bytes, n = store->rounds + 1;
    if (store->parsed < store->rounds || store->parsed_bytes > PARSED)
        return 0;
    struct round_copy **parsed = buffer_for(&store->headers, n, sizeof *parsed, fault);
    if (!parsed || !(parsed[store->parsed] = make_copy(round, &bytes, fault))) return -1;
    store->parsed++;
    store->parsed_bytes += bytes + sizeof *parsed;
    return 0;
}

/* Adds the place of a round that the stream's reader has just read. */
static int add_place(struct round_store *store, const struct mapped *stored,
                     const struct round *round, struct fault *fault)
{
    const struct reader *reader = &stored->reader;
    struct place *place = buffer_for(&store->places, store->rounds + 1, sizeof *place, fault);
    if (!place || keep_parsed(store, round, fault) < 0) return -1;
    place[store->rounds++] = (struct place){ reader->at, (uint32_t)store->streams,
                                             (uint32_t)reader->line };
    return 0;
}

/* Reads and checks the next round, its header before its payload. 1, 0 at the end, or a fault. */
static int next_round(struct reader *reader, struct round *round, struct fault *fault)
{
    struct record *record = round->record;
    int got;
    while ((got = reader_header(reader, record, fault)) > 0 && round_erased(record))
        if (reader_payload(reader, record, fault) < 0) return -1;
    if (got <= 0)
        return got;
    if (record->kind != RECORD_ROUND)
        return fault_data(fault, "%s holds a model among its rounds", reader->name);
    int right = round_header(round, fault);
    if (right == 0 && reader_payload(reader, record, fault) < 0) return -1;
    if (right < 0 || round_columns_read(round, fault) < 0) {
        reader_refuse(reader, record, fault);
        return -1;
    }
    return 1;
}

/* Reads a stream to its end, which checks it, and adds the place of each round. 0 or a fault. */
static int index_rounds(struct round_store *store, struct mapped *stored, struct fault *fault)
{
    int got;
    struct round round;
    struct record *record = malloc(sizeof *record);
    if (!record)
        return fault_no_room(fault, sizeof *record);
    round_open(&round, record);
    while ((got = next_round(&stored->reader, &round, fault)) > 0) {
        if (store->rounds == UINT32_MAX)
            got = fault_data(fault, "%s: more than 2^32 - 1 rounds", stored->reader.name);
        if (got < 0 || (got = add_place(store, stored, &round, fault)) < 0)
            break;
    }
    round_close(&round);
    free(record);
    return got;
}

int round_store_add(struct round_store *store, const char *file, struct watch *watch,
                    struct fault *fault)
{
    bool standard = strcmp(file, "-") == 0;
    const char *name = standard ? "<stdin>" : file;
    struct mapped *stored = buffer_for(&store->stored, store->streams + 1, sizeof *stored, fault);
    if (!stored) return -1;
    stored += store->streams;
    *stored = (struct mapped){ .map = NULL };
    int fd = standard ? STDIN_FILENO : watch_open(watch, file, O_RDONLY, 0, fault);
    if (fd < 0)
        return fault_system(fault, "cannot open %s", file);
    int result = mapped_open(stored, fd, name, watch, fault);
    if (result == 0)
        result = index_rounds(store, stored, fault);
    store->streams++;
    if (!standard)
        close(fd);
    return result;
}

int round_store_round(const struct round_store *store, size_t i, struct round *round,
                      struct fault *fault)
{
    struct record *record = round->record;
    const struct place *place = (const struct place *)store->places.at + i;
    const struct mapped *stored = (const struct mapped *)store->stored.at + place->stream;
    const unsigned char *line = stored->reader.bytes + place->at;
    if (i < store->parsed) {
        /* Columns are bound to no payload, none of which has been read. Names and values stay in
         * the copy. */
        const struct round_copy *copy = ((struct round_copy *const *)store->headers.at)[i];
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
        round->restored = true;
    } else if (header_parse(record, (const char *)line, place->line - 1, fault) < 0) {
        return -1;
    } else {
        round_columns_clear(round);
    }
    record_bind(record, line + place->line, (size_t)record->bytes);
    return 0;
}

static void prefetch(const void *at, size_t bytes)
{
    for (size_t b = 0; b < bytes; b += LINE)
        __builtin_prefetch((const void *)((uintptr_t)at + b));
}

void round_store_prefetch(const struct round_store *store, size_t i)
{
    const struct place *place = (const struct place *)store->places.at + i;
    const struct mapped *stored = (const struct mapped *)store->stored.at + place->stream;
    prefetch(stored->reader.bytes + place->at, PAYLOAD);
    if (i < store->parsed)
        prefetch(((struct round_copy *const *)store->headers.at)[i], HEADER);
}

int round_store_unchanged(const struct round_store *store, struct fault *fault)
{
    for (size_t i = 0; i < store->streams; i++)
        if (mapped_unchanged((const struct mapped *)store->stored.at + i, fault) < 0) return -1;
    return 0;
}

void round_store_close(struct round_store *store)
{
    struct mapped *stored = store->stored.at;
    struct round_copy **parsed = store->headers.at;
    for (size_t i = 0; i < store->parsed; i++)
        free(parsed[i]);
    buffer_free(&store->headers);
    for (size_t i = 0; i < store->streams; i++)
        mapped_close(&stored[i]);
    buffer_free(&store->stored);
    buffer_free(&store->places);
}
