#include "run/ring_local.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "stream/header.h"

struct ring_local {
    struct ring score, update; /* the two ends                                    */
    uint64_t window;           /* of score; 0: there is no score                  */
    uint64_t put;              /* messages so far                                 */
    const struct model *newest;
    struct buffer messages;    /* struct buffer[window], if that is more than 1: copies of
                                * messages, as they would lie in a stream                  */
    struct model message;      /* one of them, parsed                             */
};

static struct ring_local *of_score(struct ring *ring)
{
    return (struct ring_local *)ring; /* score is its first member */
}

static struct ring_local *of_update(struct ring *ring)
{
    return (struct ring_local *)(void *)((char *)ring - offsetof(struct ring_local, update));
}

static void copy_column(const struct column *column, char *at)
{
    size_t bytes = column_bytes(column);
    if (bytes && column->source)
        column->source->next(column->source, at, (size_t)column->count);
    else if (bytes)
        memcpy(at, column->data, bytes);
}

/* Copies a message, since the rounds of a window may still need it when update learns again. */
static int copy_message(struct ring_local *local, const struct record *record,
                          struct fault *fault)
{
    struct buffer *copy = (struct buffer *)local->messages.at + local->put % local->window;
    char line[RECORD_LINE + 1];
    size_t n, bytes = 0;
    if (header_print(record, line, &n, fault) < 0)
        return -1;
    for (size_t c = 0; c < record->columns; c++)
        bytes += column_bytes(&record->column[c]);
    char *at = buffer_for(copy, n + bytes, 1, fault);
    if (!at)
        return -1;
    memcpy(at, line, n);
    at += n;
    for (size_t c = 0; c < record->columns; c++) {
        copy_column(&record->column[c], at);
        at += column_bytes(&record->column[c]);
    }
    return 0;
}

static int put(struct ring *ring, const struct model *message, struct fault *fault)
{
    struct ring_local *local = of_update(ring);
    if (local->window > 1 && copy_message(local, &message->record, fault) < 0)
        return -1;
    local->newest = message;
    local->put++;
    return 0;
}

/* Parses the copy of message r. */
static int parse_message(struct ring_local *local, uint64_t r, struct fault *fault)
{
    const struct buffer *copy = (const struct buffer *)local->messages.at + r % local->window;
    const char *line = copy->at, *end = memchr(line, '\n', copy->bytes);
    if (header_parse(&local->message.record, line, (size_t)(end - line), fault) < 0)
        return -1;
    record_bind(&local->message.record, end + 1, (size_t)local->message.record.bytes);
    return model_read_message(&local->message, fault);
}

static int get(struct ring *ring, uint64_t r, const struct model **message, struct fault *fault)
{
    struct ring_local *local = of_score(ring);
    if (r >= local->put)
        return fault_other(fault, "update sent no weights after round %" PRIu64, r);
    *message = local->window > 1 ? &local->message : local->newest;
    return local->window > 1 ? parse_message(local, r, fault) : 0;
}

struct ring_local *ring_local_open(struct fault *fault)
{
    struct ring_local *local = calloc(1, sizeof *local);
    if (!local) {
        fault_no_room(fault, sizeof *local);
        return NULL;
    }
    local->score = (struct ring){ .get = get };
    local->update = (struct ring){ .lasting = true, .put = put };
    return local;
}

void ring_local_close(struct ring_local *local)
{
    struct buffer *copy = local ? local->messages.at : NULL;
    for (uint64_t i = 0; copy && i < local->window; i++)
        buffer_free(&copy[i]);
    if (local)
        buffer_free(&local->messages);
    free(local);
}

struct ring *ring_local_score(struct ring_local *local, uint64_t window, struct fault *fault)
{
    struct buffer *copies = buffer_for(&local->messages, (size_t)window, sizeof *copies, fault);
    if (!copies)
        return NULL;
    memset(copies, 0, (size_t)window * sizeof *copies);
    local->window = window;
    local->score.lasting = local->update.lasting = window == 1;
    return &local->score;
}

struct ring *ring_local_update(struct ring_local *local)
{
    return &local->update;
}
