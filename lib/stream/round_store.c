#include "stream/round_store.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream/header.h"
#include "stream/mapped.h"
#include "stream/round_columns.h"
#include "stream/round_copy.h"

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

static int keep_parsed(struct round_store *store, const struct round *round, struct fault *fault)
{
    size_t bytes, n = store->rounds + 1;
    if (store->parsed < store->rounds || store->parsed_bytes > PARSED)
        return 0;
    struct round_copy **parsed = buffer_for(&store->headers, n, sizeof *parsed, fault);
    if (!parsed || !(parsed[store->parsed] = round_copy_make(round, &bytes, fault)))
        return -1;
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
    if (!place || keep_parsed(store, round, fault) < 0)
        return -1;
    place[store->rounds++] = (struct place){ reader->at, (uint32_t)store->streams,
                                             (uint32_t)reader->line };
    return 0;
}

/* Reads and checks the next round, its header before its payload. 1, 0 at the end, or a fault. */
static int next_round(struct reader *reader, struct round *round, struct fault *fault)
{
    struct record *record = round->record;
    int got = reader_header(reader, record, fault);
    if (got <= 0)
        return got;
    if (record->kind != RECORD_ROUND)
        return fault_data(fault, "%s holds a model among its rounds", reader->name);
    int right = round_header(round, fault);
    if (right == 0 && reader_payload(reader, record, fault) < 0)
        return -1;
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
    if (!stored)
        return -1;
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
    if (i < store->parsed)
        round_copy_restore(((struct round_copy *const *)store->headers.at)[i], round);
    else if (header_parse(record, (const char *)line, place->line - 1, fault) < 0)
        return -1;
    else
        round_columns_clear(round);
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
        if (mapped_unchanged((const struct mapped *)store->stored.at + i, fault) < 0)
            return -1;
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
