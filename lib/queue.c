#include "queue.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "space.h"

/* A message that was put aside, as it would lie in a stream. */
struct kept {
    struct space bytes;
};

struct queue {
    struct link score, update; /* each knows the other end by its place in here */
    uint64_t window;           /* 0: nobody scores                              */
    uint64_t put;              /* messages so far                               */
    const struct model *newest;
    struct space aside;        /* struct kept[window], where the window is more than 1 */
    struct model message;      /* one of them, read                             */
};

static struct queue *of_score(struct link *link)
{
    return (struct queue *)link; /* score is its first member */
}

static struct queue *of_update(struct link *link)
{
    return (struct queue *)(void *)((char *)link - offsetof(struct queue, update));
}

static int put_aside(struct queue *queue, const struct record *record, struct fault *fault)
{
    struct kept *kept = (struct kept *)queue->aside.at + queue->put % queue->window;
    char line[RECORD_LINE + 1];
    size_t n, bytes = 0;
    if (record_header(record, line, &n, fault) < 0)
        return -1;
    for (size_t c = 0; c < record->columns; c++)
        bytes += column_bytes(&record->column[c]);
    char *at = space_for(&kept->bytes, n + bytes, 1, fault);
    if (!at)
        return -1;
    memcpy(at, line, n);
    at += n;
    for (size_t c = 0; c < record->columns; c++) {
        size_t more = column_bytes(&record->column[c]);
        if (more)
            memcpy(at, record->column[c].data, more);
        at += more;
    }
    return 0;
}

static int put(struct link *link, const struct model *message, struct fault *fault)
{
    struct queue *queue = of_update(link);
    if (queue->window > 1 && put_aside(queue, &message->record, fault) < 0)
        return -1;
    queue->newest = message;
    queue->put++;
    return 0;
}

static int take_aside(struct queue *queue, uint64_t r, struct fault *fault)
{
    const struct kept *kept = (const struct kept *)queue->aside.at + r % queue->window;
    const char *line = kept->bytes.at;
    const char *end = memchr(line, '\n', kept->bytes.bytes);
    if (record_parse(&queue->message.record, line, (size_t)(end - line), fault) < 0)
        return -1;
    record_bind(&queue->message.record, end + 1, (size_t)queue->message.record.bytes);
    return model_read_message(&queue->message, fault);
}

static int get(struct link *link, uint64_t r, const struct model **message, struct fault *fault)
{
    struct queue *queue = of_score(link);
    if (r >= queue->put)
        return fault_partner(fault, "update has not answered round %" PRIu64, r);
    *message = queue->window > 1 ? &queue->message : queue->newest;
    return queue->window > 1 ? take_aside(queue, r, fault) : 0;
}

static int end(struct link *link, struct fault *fault)
{
    (void)link, (void)fault;
    return 0;
}

static void close_end(struct link *link)
{
    (void)link;
}

struct queue *queue_open(struct fault *fault)
{
    struct queue *queue = calloc(1, sizeof *queue);
    if (!queue) {
        fault_memory(fault, sizeof *queue);
        return NULL;
    }
    queue->score = (struct link){ .get = get, .end = end, .close = close_end };
    queue->update = (struct link){ .lasting = true, .put = put, .end = end, .close = close_end };
    return queue;
}

void queue_close(struct queue *queue)
{
    struct kept *kept = queue ? queue->aside.at : NULL;
    for (uint64_t i = 0; kept && i < queue->window; i++)
        space_free(&kept[i].bytes);
    if (queue)
        space_free(&queue->aside);
    free(queue);
}

struct link *queue_score(struct queue *queue, uint64_t window, struct fault *fault)
{
    struct kept *kept = space_for(&queue->aside, (size_t)window, sizeof *kept, fault);
    if (!kept)
        return NULL;
    memset(kept, 0, (size_t)window * sizeof *kept);
    queue->window = window;
    queue->score.lasting = queue->update.lasting = window == 1;
    return &queue->score;
}

struct link *queue_update(struct queue *queue)
{
    return &queue->update;
}
