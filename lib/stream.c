#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "round.h"

#ifndef PIPE_BUF
#define PIPE_BUF 512 /* what POSIX promises */
#endif

enum { CHUNK = 64 * 1024, PAGE = 4096 };

/* So many bytes are better written from where they are than copied into a buffer before, and better
 * moved from pipe to pipe than read and written. */
enum { LARGE = 16 * 1024 };

/* A wait that is mostly over before a reader who has gone would have to be noticed. */
enum { SOON = 20 }; /* milliseconds */

/* In a ring most waits are over in a few microseconds, and to be woken, on a core that had gone to
 * sleep, takes several times as long: first we let others run and look again, so many times. */
enum { LOOKS = 30 };

enum { AT_FD, AT_STOP, AT_OUT, AT_SIDE, AT_ALL };

/* Who reads our output has gone. Where the ring is broken that comes of it, by way of all who stand
 * between: so the side has its say first, and to the end. */
static int out_gone(struct watch *watch, struct fault *fault)
{
    struct pollfd side = { watch->side, POLLIN, 0 };
    while (watch->side >= 0 && poll(&side, 1, 0) > 0)
        if (watch->take(watch->self, fault) < 0)
            return -1;
    return fault_gone(fault);
}

/* One poll of everything that is minded, but for who reads our output where the wait is SOON over:
 * as often as that one takes something it would wake us. 1: fd is ready. 0: not yet. -1: a
 * fault. */
static int look(struct watch *watch, int fd, short events, int timeout, struct fault *fault)
{
    bool out = timeout != SOON && watch->out && watch->out->fd != fd;
    struct pollfd at[AT_ALL] = {
        [AT_FD] = { fd, events, 0 },
        [AT_STOP] = { watch->stop, POLLIN, 0 },
        [AT_OUT] = { out ? watch->out->fd : -1, 0, 0 },
        [AT_SIDE] = { watch->side, POLLIN, 0 },
    };
    if (poll(at, AT_ALL, timeout) < 0)
        return errno == EINTR ? 0 : fault_system(fault, "cannot wait for input");
    if (at[AT_STOP].revents)
        return fault_stopped(fault);
    if (at[AT_SIDE].revents && watch->take(watch->self, fault) < 0)
        return -1;
    if (at[AT_OUT].revents & (POLLERR | POLLHUP))
        return out_gone(watch, fault);
    return at[AT_FD].revents != 0;
}

static long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long)(time.tv_sec % 1000000) * 1000 + time.tv_nsec / 1000000;
}

/* For so long, whatever wakes us before. */
static int look_for(struct watch *watch, int fd, int milliseconds, struct fault *fault)
{
    int ready;
    long end = milliseconds ? now() + milliseconds : 0;
    do {
        ready = look(watch, fd, POLLIN, milliseconds, fault);
        milliseconds = milliseconds ? (int)(end - now()) : 0;
    } while (ready == 0 && milliseconds > 0);
    return ready;
}

int watch_readable(struct watch *watch, int fd, int milliseconds, struct fault *fault)
{
    bool holding = watch->out && watch->out->held > 0;
    int ready = holding ? look(watch, fd, POLLIN, 0, fault) : 0;
    if (ready == 0 && holding && writer_flush(watch->out, fault) < 0)
        return -1;
    if (ready == 0 && milliseconds >= 0)
        return look_for(watch, fd, milliseconds, fault);
    for (int i = 0; ready == 0 && i < LOOKS; i++) {
        (void)sched_yield();
        ready = look(watch, fd, POLLIN, 0, fault);
    }
    if (ready == 0)
        ready = look(watch, fd, POLLIN, SOON, fault);
    while (ready == 0)
        ready = look(watch, fd, POLLIN, -1, fault);
    return ready;
}

int watch_stopped(const struct watch *watch, int milliseconds, struct fault *fault)
{
    int ready;
    struct pollfd stop = { watch->stop, POLLIN, 0 };
    if (watch->stop < 0)
        return 0;
    do
        ready = poll(&stop, 1, milliseconds);
    while (ready < 0 && errno == EINTR);
    return ready > 0 ? fault_stopped(fault) : 0;
}

int watch_writable(struct watch *watch, int fd, struct fault *fault)
{
    int ready;
    do
        ready = look(watch, fd, POLLOUT, -1, fault);
    while (ready == 0);
    return ready < 0 ? -1 : 0;
}

int watch_open(const struct watch *watch, const char *path, int flags, mode_t mode,
               struct fault *fault)
{
    int fd;
    do
        fd = open(path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR && (!watch || watch_stopped(watch, 0, fault) == 0));
    return fd;
}

int watch_close(int fd)
{
    return close(fd) < 0 && errno != EINTR ? -1 : 0;
}

int writer_open(struct writer *writer, int fd, const char *name, struct watch *watch,
                struct fault *fault)
{
    *writer = (struct writer){ .fd = fd, .name = name, .watch = watch };
    writer->buffer = malloc(CHUNK);
    return writer->buffer ? 0 : fault_memory(fault, CHUNK);
}

void writer_close(struct writer *writer)
{
    free(writer->buffer);
    writer->buffer = NULL;
}

/* After a write that failed: 0 where it is to be tried again, or a fault. */
static int not_written(const struct writer *writer, struct fault *fault)
{
    if (errno == EPIPE)
        return fault_gone(fault);
    if ((errno == EAGAIN || errno == EINTR) && writer->watch)
        return watch_writable(writer->watch, writer->fd, fault);
    return errno == EINTR ? 0 : fault_system(fault, "cannot write %s", writer->name);
}

/* One write: the bytes it took, or a fault. */
static ssize_t write_some(const struct writer *writer, const struct iovec *piece, int pieces,
                          struct fault *fault)
{
    bool eager = writer->watch && writer->watch->eager;
    if (eager && watch_writable(writer->watch, writer->fd, fault) < 0)
        return -1;
    size_t few = piece->iov_len < PIPE_BUF ? piece->iov_len : PIPE_BUF;
    ssize_t wrote = eager ? write(writer->fd, piece->iov_base, few)
                          : writev(writer->fd, piece, pieces);
    return wrote < 0 ? not_written(writer, fault) : wrote;
}

/* What the buffer holds, and n bytes behind it. */
static int write_all(struct writer *writer, const void *bytes, size_t n, struct fault *fault)
{
    struct iovec pieces[] = { { writer->buffer, writer->held }, { (void *)bytes, n } };
    struct iovec *piece = pieces, *end = pieces + 2;
    size_t wrote = 0;
    writer->held = 0;
    for (;;) {
        for (; piece < end && wrote >= piece->iov_len; piece++)
            wrote -= piece->iov_len;
        if (piece == end)
            return 0;
        piece->iov_base = (unsigned char *)piece->iov_base + wrote;
        piece->iov_len -= wrote;
        ssize_t more = write_some(writer, piece, (int)(end - piece), fault);
        if (more < 0)
            return -1;
        wrote = (size_t)more;
    }
}

int writer_flush(struct writer *writer, struct fault *fault)
{
    return write_all(writer, NULL, 0, fault);
}

int writer_bytes(struct writer *writer, const void *bytes, size_t n, struct fault *fault)
{
    if (n >= LARGE)
        return write_all(writer, bytes, n, fault);
    if (n > CHUNK - writer->held && writer_flush(writer, fault) < 0)
        return -1;
    if (n)
        memcpy(writer->buffer + writer->held, bytes, n);
    writer->held += n;
    return 0;
}

/* Pages of a file go as they are: no copy of them is made. What stands before the first whole one
 * goes with the header line: by itself it would take as much of the pipe as a page does. */
static int writer_pages(struct writer *writer, const void *pages, size_t n, struct fault *fault)
{
    const unsigned char *bytes = pages;
    size_t odd = -(uintptr_t)pages % PAGE;
    if (writer->copies || n < LARGE)
        return writer_bytes(writer, bytes, n, fault);
    if (writer_bytes(writer, bytes, odd, fault) < 0 || writer_flush(writer, fault) < 0)
        return -1;
    for (bytes += odd, n -= odd; n;) {
        ssize_t lent = aside_lend(writer->fd, bytes, n);
        writer->copies = lent < 0 && errno != EPIPE && errno != EAGAIN && errno != EINTR;
        if (writer->copies)
            return writer_bytes(writer, bytes, n, fault);
        if (lent < 0 && not_written(writer, fault) < 0)
            return -1;
        bytes += lent < 0 ? 0 : lent;
        n -= lent < 0 ? 0 : (size_t)lent;
    }
    return 0;
}

static int writer_aside(struct writer *writer, struct aside *aside, struct fault *fault)
{
    if (writer_bytes(writer, aside->first, aside->firsts, fault) < 0 ||
        writer_flush(writer, fault) < 0)
        return -1;
    while (aside->held)
        if (aside_give(aside, writer->fd) < 0 && not_written(writer, fault) < 0)
            return -1;
    return 0;
}

static size_t payload_bytes(const struct record *record)
{
    size_t bytes = 0;
    for (size_t c = 0; c < record->columns; c++)
        bytes += column_bytes(&record->column[c]);
    return bytes;
}

int writer_record(struct writer *writer, const struct record *record, struct fault *fault)
{
    size_t n;
    if (writer->held + RECORD_LINE >= CHUNK && writer_flush(writer, fault) < 0)
        return -1;
    if (record_header(record, (char *)writer->buffer + writer->held, &n, fault) < 0)
        return -1;
    writer->held += n;
    size_t left = payload_bytes(record);
    if (record->aside)
        left -= record->aside->firsts + record->aside->held;
    for (const struct column *column = record->column; left > 0; column++) {
        if ((record->mapped ? writer_pages : writer_bytes)(writer, column->data,
                                                           column_bytes(column), fault) < 0)
            return -1;
        left -= column_bytes(column);
    }
    return record->aside ? writer_aside(writer, record->aside, fault) : 0;
}

int writer_text(struct writer *writer, struct fault *fault, const char *format, ...)
{
    char line[1024];
    va_list values;
    va_start(values, format);
    int n = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    if (n < 0 || (size_t)n >= sizeof line)
        return fault_partner(fault, "%s: a line of text too long to write", writer->name);
    return writer_bytes(writer, line, (size_t)n, fault);
}

int writer_end(struct writer *writer, uint64_t records, struct fault *fault)
{
    char line[64];
    int n = snprintf(line, sizeof line, "rankpipe/1 end rounds=%" PRIu64 " bytes=0\n", records);
    if (writer_bytes(writer, line, (size_t)n, fault) < 0)
        return -1;
    return writer_flush(writer, fault);
}

void reader_open(struct reader *reader, int fd, const char *name, struct watch *watch)
{
    *reader = (struct reader){ .fd = fd, .name = name, .watch = watch };
}

void reader_open_memory(struct reader *reader, const void *bytes, size_t n, const char *name)
{
    *reader = (struct reader){ .fd = -1, .name = name, .bytes = bytes, .until = n };
}

void reader_close(struct reader *reader)
{
    space_free(&reader->space);
}

/* Room to read into: what has been used is let go first, and the space grows only when it is full
 * of bytes that came. */
static unsigned char *make_room(struct reader *reader, size_t *room, struct fault *fault)
{
    size_t used = reader->keep ? 0 : reader->from, held = reader->until - used;
    if (used && held)
        memmove(reader->space.at, reader->bytes + used, held);
    reader->from -= used;
    reader->until = held;
    unsigned char *at = space_for(&reader->space, held + 1 > CHUNK ? held + 1 : CHUNK, 1, fault);
    if (!at)
        return NULL;
    reader->bytes = at;
    *room = reader->space.bytes - held;
    if (reader->bite && reader->bite < *room)
        *room = reader->bite;
    return at + held;
}

int reader_take(struct reader *reader, struct fault *fault)
{
    size_t room;
    unsigned char *at = make_room(reader, &room, fault);
    if (!at)
        return -1;
    ssize_t got = read(reader->fd, at, room);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return 0;
    if (got < 0)
        return fault_system(fault, "cannot read %s", reader->name);
    reader->until += (size_t)got;
    return got ? 1 : 2;
}

/* More bytes behind those that are there: 1, 0 at the end of all, or a fault. */
static int fill(struct reader *reader, struct fault *fault)
{
    int took = reader->fd < 0 ? 2 : 0;
    while (took == 0) {
        if (reader->watch && watch_readable(reader->watch, reader->fd, -1, fault) < 0)
            return -1;
        took = reader_take(reader, fault);
    }
    return took < 0 ? -1 : took == 1;
}

static size_t held(const struct reader *reader)
{
    return reader->until - reader->from;
}

static int cut_short(struct reader *reader, struct fault *fault)
{
    if (reader->watch && watch_stopped(reader->watch, WATCH_GRACE, fault) < 0)
        return -1;
    if (!reader->any && held(reader) == 0)
        return fault_cut(fault, "%s: stream cut short: nothing came, not even an end record",
                         reader->name);
    if (!reader->last[0])
        return fault_cut(fault, "%s: stream cut short before the first whole round", reader->name);
    return fault_cut(fault, "%s: stream cut short after %s", reader->name, reader->last);
}

/* Could these bytes be the beginning of a record? */
static bool may_begin(const void *bytes, size_t n)
{
    static const char magic[] = "rankpipe/";
    return memcmp(bytes, magic, n < sizeof magic - 1 ? n : sizeof magic - 1) == 0;
}

/* Has a header line of n bytes with its LF, or bytes that cannot become one: 1, 0 at the end of
 * all, or a fault. */
static int find_line(struct reader *reader, size_t *n, struct fault *fault)
{
    size_t looked = 0;
    for (;;) {
        const unsigned char *line = reader->bytes ? reader->bytes + reader->from : NULL;
        size_t have = held(reader) < RECORD_LINE ? held(reader) : RECORD_LINE;
        const unsigned char *end = have > looked ? memchr(line + looked, '\n', have - looked) : 0;
        if (end) {
            *n = (size_t)(end - line) + 1;
            return 1;
        }
        looked = have;
        int more = have == RECORD_LINE ? 0 : fill(reader, fault);
        if (more < 0)
            return -1;
        if (more == 0) {
            *n = have;
            return have == RECORD_LINE || (have && !may_begin(reader->bytes + reader->from, have));
        }
    }
}

/* A record that is none: what came before it is what came. */
static void malformed(struct reader *reader, struct fault *fault)
{
    if (reader->last[0])
        fault_place(fault, "%s: after %s: ", reader->name, reader->last);
    else
        fault_place(fault, "%s: ", reader->name);
}

/* An end record's count must be that of the records before it. */
static int check_end(struct reader *reader, const struct record *record, struct fault *fault)
{
    if (record->rounds != reader->since)
        return fault_data(fault,
                         "%s: the end record counts %" PRIu64 " rounds, but %" PRIu64 " came",
                         reader->name, record->rounds, reader->since);
    reader->since = 0;
    reader->any = reader->ended = true;
    return 0;
}

enum { NAME = sizeof ((struct reader *)0)->last };

static void name_record(const struct record *record, char name[NAME])
{
    const char *t = record_key(record, "t");
    if (record->kind == RECORD_MODEL)
        snprintf(name, NAME, "a model");
    else
        stpncpy(stpcpy(name, "round "), t ? t : "?", 20)[0] = '\0';
}

static void remember(struct reader *reader, const struct record *record)
{
    reader->since++;
    reader->records++;
    reader->any = true;
    reader->ended = false;
    name_record(record, reader->last);
}

void reader_refuse(const struct reader *reader, const struct record *record, struct fault *fault)
{
    char name[NAME];
    name_record(record, name);
    fault_place(fault, "%s: %s: ", reader->name, name);
}

/* Has n bytes, if they come: 1, 0 at the end of all, or a fault. `exactly`: no more are taken. */
static int fill_to(struct reader *reader, size_t n, bool exactly, struct fault *fault)
{
    int more = 1;
    while (more > 0 && held(reader) < n) {
        reader->bite = exactly ? n - held(reader) : 0;
        more = fill(reader, fault);
    }
    return more;
}

/* Reads n bytes that have come: 1, 0 at the end of all, or a fault. */
static int take_there(struct reader *reader, size_t n, struct fault *fault)
{
    int took = 1;
    size_t until = held(reader) + n;
    while ((took == 0 || took == 1) && held(reader) < until) {
        reader->bite = until - held(reader);
        took = reader_take(reader, fault);
    }
    return took == 2 ? 0 : took < 0 ? -1 : 1;
}

/* There was no room for all of it: what is aside is read after all. */
static int take_back(struct reader *reader, struct fault *fault)
{
    struct aside *aside = reader->aside;
    size_t room;
    while (!reader->copies && aside->held) {
        unsigned char *at = make_room(reader, &room, fault);
        ssize_t got = at ? aside_read(aside, at, room < aside->held ? room : aside->held) : -1;
        if (!at || got <= 0)
            return at ? fault_system(fault, "cannot read %s", reader->name) : -1;
        reader->until += (size_t)got;
    }
    aside_drop(aside);
    return 1;
}

/* The payload's last n bytes, none of which has been read: 1, with record->aside set if there was
 * room for them; 0 at the end of all, or a fault. */
static int put_aside(struct reader *reader, struct record *record, size_t n, struct fault *fault)
{
    struct aside *aside = reader->aside;
    bool looked = false;
    while (n && (reader->copies || aside->held || !aside_leave(aside, reader->fd, n))) {
        ssize_t got = reader->copies ? aside_copy(aside, reader->fd, n)
                                     : aside_take(aside, reader->fd, n);
        if (got < 0 && (looked || errno != EAGAIN))
            return take_back(reader, fault);
        looked = got < 0;
        if (looked && reader->watch && watch_readable(reader->watch, reader->fd, -1, fault) < 0)
            return -1;
        if (looked)
            continue;
        int more = got && reader->copies ? take_there(reader, (size_t)got, fault) : got > 0;
        if (more <= 0)
            return more;
        n -= (size_t)got;
    }
    record->aside = aside;
    return 1;
}

/* What the next record's line and columns but for the features may take, if the last one's took so
 * many bytes. */
static size_t next_bite(size_t bytes)
{
    return bytes + bytes / 4 + 64;
}

/* The payload behind a header line of `line` bytes, as much as is to be in memory, and the rest
 * aside: 1, 0 at the end of all, or a fault. */
static int read_payload(struct reader *reader, struct record *record, size_t line,
                        struct fault *fault)
{
    struct aside *aside = reader->aside;
    size_t all = line + (size_t)record->bytes;
    size_t features = aside && record->kind == RECORD_ROUND ? round_feature_bytes(record) : 0;
    bool large = features >= LARGE && features <= aside->room;
    size_t head = large ? all - features : all;
    int got = fill_to(reader, head, large, fault);
    if (got > 0 && large && held(reader) + LARGE <= all)
        got = put_aside(reader, record, all - held(reader), fault);
    if (got > 0 && !record->aside)
        got = fill_to(reader, all, large, fault);
    reader->bite = large ? next_bite(head) : 0;
    if (got > 0 && record->aside) {
        aside->first = reader->bytes + reader->from + head;
        aside->firsts = features - aside->held;
    }
    return got;
}

/* One header line, of an end too. 1, 0 at the end of all, or a fault. */
static int next_header(struct reader *reader, struct record *record, struct fault *fault)
{
    if (reader->aside)
        aside_drop(reader->aside);
    int found = find_line(reader, &reader->line, fault);
    if (found <= 0)
        return found;
    const char *line = (const char *)reader->bytes + reader->from;
    size_t n = reader->line;
    if (record_parse(record, line, line[n - 1] == '\n' ? n - 1 : n, fault) < 0) {
        malformed(reader, fault);
        return -1;
    }
    if (record->bytes > SIZE_MAX / 2) {
        fault_data(fault, "a record of %" PRIu64 " bytes is too large here", record->bytes);
        malformed(reader, fault);
        return -1;
    }
    return 1;
}

int reader_header(struct reader *reader, struct record *record, struct fault *fault)
{
    for (;;) {
        int got = next_header(reader, record, fault);
        if (got < 0)
            return -1;
        if (got == 0)
            return reader->ended && held(reader) == 0 ? 0 : cut_short(reader, fault);
        if (record->kind != RECORD_END)
            return 1;
        reader->from += reader->line;
        if (check_end(reader, record, fault) < 0)
            return -1;
    }
}

int reader_payload(struct reader *reader, struct record *record, struct fault *fault)
{
    size_t n = reader->line;
    int got = read_payload(reader, record, n, fault);
    if (got <= 0)
        return got < 0 ? -1 : cut_short(reader, fault);
    size_t here = held(reader) - n;
    if (here > record->bytes)
        here = (size_t)record->bytes;
    record_bind(record, reader->bytes + reader->from + n, here);
    reader->at = reader->from;
    reader->from += n + here;
    remember(reader, record);
    return 1;
}

int reader_next(struct reader *reader, struct record *record, struct fault *fault)
{
    int got = reader_header(reader, record, fault);
    return got > 0 ? reader_payload(reader, record, fault) : got;
}
