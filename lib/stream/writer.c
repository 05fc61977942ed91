#include "stream/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/unaligned.h"
#include "io/splice.h"
#include "stream/record_header.h"

#ifndef PIPE_BUF
#define PIPE_BUF 512 /* what POSIX promises */
#endif

enum { CHUNK = 64 * 1024 };

/* From this size on, bytes are written from where they are, without a copy into the buffer. */
enum { LARGE = 16 * 1024 };

/* The `flush` of struct pending, by which a watch flushes before it waits. */
static int flush_pending(struct pending *pending, struct fault *fault)
{
    return writer_flush((struct writer *)(void *)pending, fault);
}

int writer_open(struct writer *writer, int fd, const char *name, struct watch *watch,
                struct fault *fault)
{
    *writer = (struct writer){ .pending = { fd, 0, flush_pending }, .name = name, .watch = watch };
    writer->buffer = malloc(CHUNK);
    return writer->buffer ? 0 : fault_no_room(fault, CHUNK);
}

int writer_open_bytes(struct writer *writer, struct fault *fault)
{
    if (writer_open(writer, -1, "memory", NULL, fault) < 0) return -1;
    writer->room = CHUNK;
    return 0;
}

void writer_close(struct writer *writer)
{
    free(writer->buffer);
    writer->buffer = NULL;
}

/* After a failed write, by errno: 0 to try again, or a fault. */
static int write_failed(const struct writer *writer, struct fault *fault)
{
    if (errno == EPIPE)
        return fault_gone(fault);
    if ((errno == EAGAIN || errno == EINTR) && writer->watch)
        return watch_writable(writer->watch, writer->pending.fd, fault);
    return errno == EINTR ? 0 : fault_system(fault, "cannot write %s", writer->name);
}

/* Writes once: the number of bytes written, or a fault. */
static ssize_t write_some(const struct writer *writer, const struct iovec *piece, int pieces,
                          struct fault *fault)
{
    bool eager = writer->watch && writer->watch->eager;
    if (eager && watch_writable(writer->watch, writer->pending.fd, fault) < 0) return -1;
    size_t n = piece->iov_len < PIPE_BUF ? piece->iov_len : PIPE_BUF;
    ssize_t wrote = eager ? write(writer->pending.fd, piece->iov_base, n)
                          : writev(writer->pending.fd, piece, pieces);
    return wrote < 0 ? write_failed(writer, fault) : wrote;
}

/* Writes what the buffer holds, and then n bytes. */
static int write_all(struct writer *writer, const void *bytes, size_t n, struct fault *fault)
{
    struct iovec pieces[] = { { writer->buffer, writer->pending.held }, { (void *)bytes, n } };
    struct iovec *piece = pieces, *end = pieces + 2;
    size_t wrote = 0;
    if (writer->before && writer->before(writer->self, fault) < 0) return -1;
    writer->pending.held = 0;
    for (;;) {
        for (; piece < end && wrote >= piece->iov_len; piece++)
            wrote -= piece->iov_len;
        if (piece == end)
            return 0;
        piece->iov_base = (unsigned char *)piece->iov_base + wrote;
        piece->iov_len -= wrote;
        ssize_t more = write_some(writer, piece, (int)(end - piece), fault);
        if (more < 0) return -1;
        wrote = (size_t)more;
    }
}

int writer_flush(struct writer *writer, struct fault *fault)
{
    return write_all(writer, NULL, 0, fault);
}

int writer_bytes(struct writer *writer, const void *bytes, size_t n, struct fault *fault)
{
    if (writer->room) {
        if (n > writer->room - writer->pending.held) {
            size_t room = writer->room + writer->room / 2 + n;
            unsigned char *buffer = realloc(writer->buffer, room);
            if (!buffer)
                return fault_no_room(fault, room);
            writer->buffer = buffer;
            writer->room = room;
        }
        memcpy(writer->buffer + writer->pending.held, bytes, n);
        writer->pending.held += n;
        return 0;
    }
    if (n >= LARGE)
        return write_all(writer, bytes, n, fault);
    if (n > CHUNK - writer->pending.held && writer_flush(writer, fault) < 0) return -1;
    if (n)
        memcpy(writer->buffer + writer->pending.held, bytes, n);
    writer->pending.held += n;
    return 0;
}

/* Moves what the splice holds to the output. */
static int writer_splice(struct writer *writer, struct splice *spliced, struct fault *fault)
{
    if (writer_bytes(writer, spliced->first, spliced->firsts, fault) < 0 ||
        writer_flush(writer, fault) < 0)
        return -1;
    while (spliced->held)
        if (splice_give(spliced, writer->pending.fd) < 0 && write_failed(writer, fault) < 0)
            return -1;
    return 0;
}

/* Writes values that are made now, or whose bytes must be swapped, a piece at a time. */
static int writer_made(struct writer *writer, const struct column *column, struct fault *fault)
{
    uint64_t piece[512];
    size_t n;
    for (uint64_t from = 0; (n = column_piece(column, from, piece, sizeof piece)) > 0; from += n)
        if (writer_bytes(writer, piece, n * column_width(column->type), fault) < 0) return -1;
    return 0;
}

static int writer_column(struct writer *writer, const struct column *column, struct fault *fault)
{
    if (column->source || LITTLE_SWAPS)
        return writer_made(writer, column, fault);
    return writer_bytes(writer, column->data, column_bytes(column), fault);
}

int writer_record(struct writer *writer, const struct record *record, struct fault *fault)
{
    size_t n;
    if (writer->pending.held + RECORD_LINE >= CHUNK && writer_flush(writer, fault) < 0) return -1;
    if (header_print(record, (char *)writer->buffer + writer->pending.held, &n, fault) < 0)
        return -1;
    writer->pending.held += n;
    size_t left = 0;
    for (size_t c = 0; c < record->columns; c++)
        left += column_bytes(&record->column[c]);
    if (record->spliced)
        left -= record->spliced->firsts + record->spliced->held;
    for (const struct column *column = record->column; left > 0; column++) {
        if (writer_column(writer, column, fault) < 0) return -1;
        left -= column_bytes(column);
    }
    return record->spliced ? writer_splice(writer, record->spliced, fault) : 0;
}

int writer_text(struct writer *writer, struct fault *fault, const char *format, ...)
{
    char line[1024];
    va_list values;
    va_start(values, format);
    int n = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    if (n < 0 || (size_t)n >= sizeof line)
        return fault_other(fault, "%s: a line of text is too long to write", writer->name);
    return writer_bytes(writer, line, (size_t)n, fault);
}

int writer_end(struct writer *writer, uint64_t records, struct fault *fault)
{
    char line[64];
    int n = snprintf(line, sizeof line, "rankpipe/1 end rounds=%" PRIu64 " bytes=0\n", records);
    if (writer_bytes(writer, line, (size_t)n, fault) < 0) return -1;
    return writer_flush(writer, fault);
}
