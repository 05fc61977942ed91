#include "run/weights_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "stream/record_header.h"
#include "stream/reader.h"
#include "stream/writer.h"

/* ---- over a FIFO ---- */

/* Programs of one pipeline start within moments of each other, unless the shell waits for a slow
 * disk. A program that has not opened the ring after PATIENCE is taken to be missing. */
enum { PATIENCE = 15000, PAUSE = 10, GRACE = 500 }; /* milliseconds */

/* At its end score waits so long for the next message. If a program that started score keeps the
 * pipe open, update gets the end of its input only when score is gone. */
enum { LINGER = 1000 };

struct fifo {
    struct ring ring; /* first: a struct ring * is a struct fifo * */
    const char *path;
    char awaited[200]; /* "weights from ring PATH" */
    int fd;
    struct watch own; /* for waiting on the FIFO itself */

    /* score's end */
    struct watch *watch;
    struct reader reader;
    struct model message; /* the latest */
    uint64_t messages;    /* read so far */
    uint64_t first;       /* rounds learnt by message 0 */

    /* update's end */
    struct writer writer;
    uint64_t sent;
    bool gone;
};

static void close_fifo(struct ring *ring)
{
    struct fifo *fifo = (struct fifo *)ring;
    if (fifo->watch)
        fifo->watch->side = -1;
    if (fifo->fd >= 0)
        close(fifo->fd);
    reader_close(&fifo->reader);
    writer_close(&fifo->writer);
    free(fifo);
}

static struct fifo *new_fifo(const char *path, struct fault *fault)
{
    struct fifo *fifo = calloc(1, sizeof *fifo);
    if (!fifo) {
        fault_no_room(fault, sizeof *fifo);
        return NULL;
    }
    fifo->ring.close = close_fifo;
    snprintf(fifo->awaited, sizeof fifo->awaited, "weights from ring %s", path);
    fifo->path = path;
    fifo->fd = -1;
    fifo->own = WATCH_NOTHING;
    fifo->own.leads = true;
    return fifo;
}

/* Opens without waiting: 1; 0 where nobody reads it yet, which `flags` want; or a fault. */
static int try_open(struct fifo *fifo, int flags, struct fault *fault)
{
    struct stat is;
    fifo->fd = watch_open(&fifo->own, fifo->path, flags | O_NONBLOCK, 0, fault);
    if (fifo->fd < 0 && errno == ENXIO)
        return 0;
    if (fifo->fd < 0 && errno == ENOENT)
        return fault_system(fault, "ring %s: make it with mkfifo first", fifo->path);
    if (fifo->fd < 0 || fstat(fifo->fd, &is) < 0)
        return fault_system(fault, "ring %s", fifo->path);
    if (!S_ISFIFO(is.st_mode))
        return fault_other(fault, "ring %s is not a FIFO: make one with mkfifo", fifo->path);
    return 1;
}

/* ---- score's end of a FIFO ---- */

/* The programs between score and update die of their writes to it, from the last to the first.
 * score waits for them: if it died first, they would report a stream cut short. */
static int update_is_gone(const struct fifo *fifo, struct fault *fault)
{
    fifo->watch->side = -1;
    if (fifo->watch->out) {
        struct pollfd reader = { fifo->watch->out->fd, 0, 0 };
        (void)poll(&reader, 1, GRACE);
    }
    return fault_other(fault, "ring %s: update is gone after round %" PRIu64, fifo->path,
                         fifo->messages ? fifo->messages - 1 : 0);
}

/* Reads the next model: 1, 0 at the end, or a fault. Its header is checked before its weights are
 * waited for. */
static int read_message(struct fifo *fifo, struct fault *lost)
{
    struct record *record = &fifo->message.record;
    int got = reader_header(&fifo->reader, record, lost);
    if (got <= 0)
        return got;
    if (record->kind != RECORD_MODEL)
        return fault_data(lost, "%s: it carried a round, not a model", fifo->path);
    bool right = model_message_header(&fifo->message, lost) == 0;
    if (right && reader_payload(&fifo->reader, record, lost) < 0) return -1;
    if (right && model_read_message(&fifo->message, lost) == 0)
        return 1;
    fault_place(lost, "%s: ", fifo->path);
    return -1;
}

/* The same, and checks its number, the rounds learnt. */
static int next_message(struct fifo *fifo, struct fault *fault)
{
    struct fault lost = { FAULT_NONE, "" };
    struct model *message = &fifo->message;
    int got = read_message(fifo, &lost);
    if (lost.kind == FAULT_CUT)
        return update_is_gone(fifo, fault);
    if (lost.kind == FAULT_DATA)
        return fault_other(fault, "ring %s", lost.text);
    if (got < 0)
        *fault = lost;
    if (got <= 0)
        return got;
    if (fifo->messages == 0 && !message->w)
        return fault_other(fault, "ring %s: its first message holds changes, not all weights",
                             fifo->path);
    if (fifo->messages == 0)
        fifo->first = message->rounds;
    if (message->rounds != fifo->first + fifo->messages)
        return fault_other(fault, "ring %s: the weights after round %" PRIu64 " came, but those "
                           "after round %" PRIu64 " were due: does a second update write to it?",
                           fifo->path, message->rounds, fifo->first + fifo->messages);
    fifo->messages++;
    return 1;
}

/* The first message may take long, but update must open the FIFO in time. Some of the message may
 * have arrived already, while score waited for its input. */
static int await_update(struct fifo *fifo, struct fault *fault)
{
    if (fifo->messages > 0 || fifo->reader.from < fifo->reader.until)
        return 0;
    int ready = watch_readable(&fifo->own, fifo->fd, PATIENCE, fault);
    if (ready != 0)
        return ready < 0 ? -1 : 0;
    bool ended;
    if (reader_take(&fifo->reader, &ended, fault) < 0) return -1;
    if (ended)
        return fault_other(fault, "ring %s: no update opened it within %d seconds: is there an "
                             "update -f %s in the pipeline?", fifo->path, PATIENCE / 1000,
                             fifo->path);
    return 0;
}

static int get_message(struct ring *ring, uint64_t r, const struct model **message,
                       struct fault *fault)
{
    struct fifo *fifo = (struct fifo *)ring;
    /* update can only answer rounds that it has received, so flush first: here, and not while the
     * reader waits, because the FIFO must not be read inside a read from it. */
    if (fifo->watch->out && fifo->watch->out->flush(fifo->watch->out, fault) < 0) return -1;
    fifo->own.out = fifo->watch->out;
    fifo->own.stop = fifo->watch->stop;
    fifo->own.slow = fifo->watch->slow;
    if (fifo->watch->leads)
        core_lead(&fifo->watch->core, STDOUT_FILENO, watch_now());
    fifo->own.core.at = fifo->watch->core.at;
    if (await_update(fifo, fault) < 0) return -1;
    while (fifo->messages <= r) {
        int got = next_message(fifo, fault);
        if (got <= 0)
            return got < 0 ? -1 : update_is_gone(fifo, fault);
    }
    *message = &fifo->message;
    return 0;
}

/* Called when a message came, or update went, while score waits for something else. */
static int take_message(void *self, struct fault *fault)
{
    struct fifo *fifo = self;
    bool ended;
    if (reader_take(&fifo->reader, &ended, fault) < 0) return -1;
    if (!ended)
        return 0;
    fifo->own.out = NULL; /* if the reader of our output is gone too, update is the cause */
    int got;
    while ((got = next_message(fifo, fault)) > 0)
        continue;
    return got < 0 ? -1 : update_is_gone(fifo, fault);
}

/* Has the ring something to read, or its end, within LINGER? 1, 0 or a fault. */
static int lingers(struct fifo *fifo, struct fault *fault)
{
    if (fifo->reader.from < fifo->reader.until)
        return 1;
    return watch_readable(&fifo->own, fifo->fd, LINGER, fault);
}

static int await_end(struct ring *ring, struct fault *fault)
{
    struct fifo *fifo = (struct fifo *)ring;
    int more = 0, got = 1;
    fifo->own.out = NULL;
    fifo->watch->side = -1;
    if (await_update(fifo, fault) < 0) return -1;
    while (got > 0 && (more = lingers(fifo, fault)) > 0)
        got = next_message(fifo, fault);
    return got < 0 || more < 0 ? -1 : 0;
}

struct ring *ring_fifo_score(const char *path, uint64_t window, struct watch *watch,
                             struct fault *fault)
{
    struct fifo *fifo = new_fifo(path, fault);
    if (!fifo)
        return NULL;
    if (try_open(fifo, O_RDONLY, fault) < 0) {
        close_fifo(&fifo->ring);
        return NULL;
    }
    if (flock(fifo->fd, LOCK_EX | LOCK_NB) < 0) {
        int held = errno == EWOULDBLOCK;
        (void)(held ? fault_other(fault, "ring %s: another score reads it already", path)
                    : fault_system(fault, "ring %s: cannot lock it", path));
        close_fifo(&fifo->ring);
        return NULL;
    }
    fifo->ring.get = get_message;
    fifo->ring.end = await_end;
    reader_open(&fifo->reader, fifo->fd, path, &fifo->own);
    fifo->reader.awaited = fifo->awaited;
    fifo->reader.once = true;
    fifo->watch = watch;
    watch->side = fifo->fd;
    watch->eager = window > 1;
    watch->leads = window == 1;
    watch->take = take_message;
    watch->self = fifo;
    return &fifo->ring;
}

/* ---- update's end of a FIFO ---- */

/* If score no longer reads, update still learns from the rounds that arrive. */
static int unless_gone(struct fifo *fifo, int result, struct fault *fault)
{
    if (result < 0 && fault->kind == FAULT_GONE) {
        fault->kind = FAULT_NONE;
        fifo->gone = true;
        return 0;
    }
    return result;
}

static int put_message(struct ring *ring, const struct model *message, struct fault *fault)
{
    struct fifo *fifo = (struct fifo *)ring;
    if (fifo->gone)
        return 0;
    int result = writer_record(&fifo->writer, &message->record, fault);
    if (result == 0)
        result = writer_flush(&fifo->writer, fault);
    fifo->sent++;
    return unless_gone(fifo, result, fault);
}

static int put_end(struct ring *ring, struct fault *fault)
{
    struct fifo *fifo = (struct fifo *)ring;
    if (fifo->gone)
        return 0;
    return unless_gone(fifo, writer_end(&fifo->writer, fifo->sent, fault), fault);
}

static int await_score(struct fifo *fifo, int input, struct fault *fault)
{
    struct watch patience = fifo->own;
    for (int waited = 0;; waited += PAUSE) {
        int ready = watch_readable(&patience, input, waited ? PAUSE : 0, fault);
        if (ready < 0) return -1;
        int opened = try_open(fifo, O_WRONLY, fault);
        if (opened != 0)
            return opened < 0 ? -1 : 0;
        bool late = ready || waited >= PATIENCE;
        if (watch_stopped(&fifo->own, late ? WATCH_GRACE : 0, fault) < 0) return -1;
        if (late)
            return fault_other(fault, "ring %s: no score reads it: is there a score -f %s in "
                                 "the pipeline?", fifo->path, fifo->path);
    }
}

/* Another program carries the messages from standard output to score's FIFO. */
static int open_stdout(struct fifo *fifo, struct fault *fault)
{
    fifo->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    return fifo->fd < 0 ? fault_system(fault, "cannot write <stdout>") : 0;
}

struct ring *ring_fifo_update(const char *path, int input, struct watch *watch, struct fault *fault)
{
    struct fifo *fifo = new_fifo(path, fault);
    if (!fifo)
        return NULL;
    fifo->own.stop = watch->stop;
    bool carried = strcmp(path, "-") == 0;
    if ((carried ? open_stdout(fifo, fault) : await_score(fifo, input, fault)) < 0 ||
        writer_open(&fifo->writer, fifo->fd, carried ? "<stdout>" : path, &fifo->own, fault) < 0) {
        close_fifo(&fifo->ring);
        return NULL;
    }
    fifo->ring.put = put_message;
    fifo->ring.end = put_end;
    return &fifo->ring;
}

/* ---- inside one process ---- */

struct ring_local {
    struct ring score, update; /* the two ends                                    */
    uint64_t window;           /* of score; 0: there is no score                  */
    uint64_t put;              /* messages so far                                 */
    const struct model *newest;
    struct buffer messages;    /* struct buffer[window], if that is more than 1: copies of
                                * messages, as they would lie in a stream                  */
    struct model message;      /* one of them, parsed                             */
};

static int put_local(struct ring *ring, const struct model *message, struct fault *fault)
{
    struct ring_local *local =
        (struct ring_local *)(void *)((char *)ring - offsetof(struct ring_local, update));
    if (local->window > 1) { /* its rounds may still need the message when update learns again */
        struct buffer *copy = (struct buffer *)local->messages.at + local->put % local->window;
        char line[RECORD_LINE + 1];
        size_t n, bytes = 0;
        if (header_print(&message->record, line, &n, fault) < 0) return -1;
        for (size_t c = 0; c < message->record.columns; c++)
            bytes += column_bytes(&message->record.column[c]);
        char *at = buffer_for(copy, n + bytes, 1, fault);
        if (!at) return -1;
        memcpy(at, line, n);
        at += n;
        for (size_t c = 0; c < message->record.columns; c++) {
            const struct column *column = &message->record.column[c];
            const size_t held = column_bytes(column);
            if (held && column->source)
                column->source->next(column->source, at, (size_t)column->count);
            else if (held)
                memcpy(at, column->data, held);
            at += held;
        }
    }
    local->newest = message;
    local->put++;
    return 0;
}

/* Parses the copy of message r. */
static int parse_message(struct ring_local *local, uint64_t r, struct fault *fault)
{
    const struct buffer *copy = (const struct buffer *)local->messages.at + r % local->window;
    const char *line = copy->at, *end = memchr(line, '\n', copy->bytes);
    if (header_parse(&local->message.record, line, (size_t)(end - line), fault) < 0) return -1;
    record_bind(&local->message.record, end + 1, (size_t)local->message.record.bytes);
    return model_read_message(&local->message, fault);
}

static int get_local(struct ring *ring, uint64_t r, const struct model **message,
                     struct fault *fault)
{
    struct ring_local *local = (struct ring_local *)ring; /* score is its first member */
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
    local->score = (struct ring){ .get = get_local };
    local->update = (struct ring){ .lasting = true, .put = put_local };
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
