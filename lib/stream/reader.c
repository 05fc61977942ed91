#include "stream/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unaligned.h"
#include "stream/record_header.h"
#include "stream/round.h"

enum { CHUNK = 256 * 1024 };

/* From this size on, moving bytes from pipe to pipe is faster than reading and writing them. */
enum { LARGE = 16 * 1024 };

void reader_open(struct reader *reader, int fd, const char *name, struct watch *watch)
{
    *reader = (struct reader){ .fd = fd, .name = name, .awaited = name, .watch = watch };
}

void reader_open_bytes(struct reader *reader, const void *bytes, size_t n, const char *name)
{
    *reader = (struct reader){ .fd = -1, .name = name, .bytes = bytes, .until = n };
}

void reader_close(struct reader *reader)
{
    buffer_free(&reader->buffer);
}

/* Returns where to read into, and how many bytes fit. Parsed bytes are discarded first, unless they
 * are kept. The buffer grows only when it is full of bytes that came. */
static unsigned char *make_room(struct reader *reader, size_t *room, struct fault *fault)
{
    size_t used = reader->keep ? 0 : reader->from, held = reader->until - used;
    if (used && held)
        memmove(reader->buffer.at, reader->bytes + used, held);
    reader->from -= used;
    reader->offset += used;
    reader->until = held;
    unsigned char *at = buffer_for(&reader->buffer, held + 1 > CHUNK ? held + 1 : CHUNK, 1, fault);
    if (!at)
        return NULL;
    reader->bytes = at;
    *room = reader->buffer.bytes - held;
    if (reader->read_most && reader->read_most < *room)
        *room = reader->read_most;
    return at + held;
}

int reader_take(struct reader *reader, bool *ended, struct fault *fault)
{
    size_t room;
    unsigned char *at = make_room(reader, &room, fault);
    *ended = false;
    if (!at) return -1;
    ssize_t got = read(reader->fd, at, room);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN
                   ? 0
                   : fault_system(fault, "cannot read %s", reader->name);
    reader->until += (size_t)got;
    *ended = got == 0;
    return got > 0;
}

/* Waits for more bytes and reads them. Where all that came has been parsed, the program before may
 * wait for an answer. */
static int read_more(struct reader *reader, struct fault *fault)
{
    bool ended = reader->fd < 0;
    int got = 0;
    while (got == 0 && !ended) {
        bool answer = reader_held(reader) == 0;
        if (reader->watch &&
            watch_input(reader->watch, reader->fd, answer, reader->awaited, fault) < 0)
            return -1;
        got = reader_take(reader, &ended, fault);
    }
    return got;
}

int reader_fill(struct reader *reader, size_t n, bool exactly, struct fault *fault)
{
    int more = 1;
    while (more > 0 && reader_held(reader) < n) {
        reader->read_most = exactly ? n - reader_held(reader) : 0;
        more = read_more(reader, fault);
    }
    return more;
}

/* The fault for a stream that stops too early; or that a signal stopped this program. */
static int cut_short(struct reader *reader, struct fault *fault)
{
    if (reader->watch && watch_stopped(reader->watch, WATCH_GRACE, fault) < 0) return -1;
    if (!reader->records && !reader->ended && reader_held(reader) == 0)
        return fault_cut(fault, "%s: stream cut short: the input is empty, without even an end "
                         "record", reader->name);
    if (!reader->last[0])
        return fault_cut(fault, "%s: stream cut short before the first whole round", reader->name);
    return fault_cut(fault, "%s: stream cut short after %s", reader->name, reader->last);
}

/* Can these bytes be the beginning of a record? */
static bool may_begin(const void *bytes, size_t n)
{
    static const char magic[] = "rankpipe/";
    return memcmp(bytes, magic, n < sizeof magic - 1 ? n : sizeof magic - 1) == 0;
}

/* Reads until there is a header line, of *n bytes with its LF, or *n bytes that cannot become
 * one: 1; 0 at the end; or a fault. */
static int await_line(struct reader *reader, size_t *n, struct fault *fault)
{
    size_t looked = 0;
    for (;;) {
        const unsigned char *line = reader->bytes ? reader->bytes + reader->from : NULL;
        size_t have = reader_held(reader) < RECORD_LINE ? reader_held(reader) : RECORD_LINE;
        const unsigned char *end = have > looked ? memchr(line + looked, '\n', have - looked) : 0;
        *n = end ? (size_t)(end - line) + 1 : have;
        if (end || have == RECORD_LINE)
            return 1;
        looked = have;
        int more = read_more(reader, fault);
        if (more == 0 && have && !may_begin(reader->bytes + reader->from, have))
            return 1;
        if (more <= 0)
            return more;
    }
}

enum { NAME = sizeof((struct reader *)0)->last };

/* "round 17" or "a model". */
static void name_record(const struct record *record, char name[NAME])
{
    const char *t = record_key(record, "t");
    if (record->kind != RECORD_ROUND)
        snprintf(name, NAME, record->kind == RECORD_PATCH ? "a patch" : "a model");
    else
        stpncpy(stpcpy(name, "round "), t ? t : "?", 20)[0] = '\0';
}

void reader_refuse(const struct reader *reader, const struct record *record, struct fault *fault)
{
    char name[NAME];
    name_record(record, name);
    fault_place(fault, "%s: %s: ", reader->name, name);
}

/* The pipe has no room for all of the features: reads back those that it has. */
static int read_back(struct reader *reader, struct fault *fault)
{
    struct splice *spliced = reader->spliced;
    size_t room;
    while (!reader->copying && spliced->held) {
        unsigned char *at = make_room(reader, &room, fault);
        ssize_t got =
            at ? splice_read(spliced, at, room < spliced->held ? room : spliced->held) : -1;
        if (!at || got <= 0)
            return at ? fault_system(fault, "cannot read %s", reader->name) : -1;
        reader->until += (size_t)got;
    }
    splice_drop(spliced);
    return 1;
}

/* Puts the last n bytes of the payload, none of which has been read, into the splice, and sets
 * record->spliced if there was room for them. */
static int splice_payload(struct reader *reader, struct record *record, size_t n,
                          struct fault *fault)
{
    struct splice *spliced = reader->spliced;
    bool looked = false;
    while (n) {
        ssize_t got = splice_take(spliced, reader->fd, n, reader->copying);
        if (got < 0 && (looked || errno != EAGAIN))
            return read_back(reader, fault);
        looked = got < 0;
        if (looked && reader->watch &&
            watch_input(reader->watch, reader->fd, false, reader->awaited, fault) < 0)
            return -1;
        if (looked)
            continue;
        if (got == 0)
            return 0;
        if (reader->copying &&
            reader_fill(reader, reader_held(reader) + (size_t)got, true, fault) < 0)
            return -1;
        n -= (size_t)got;
    }
    record->spliced = spliced;
    return 1;
}

/* Parses one header line, also that of an end record. */
static int next_header(struct reader *reader, struct record *record, struct fault *fault)
{
    if (reader->spliced)
        splice_drop(reader->spliced);
    int found = await_line(reader, &reader->line, fault);
    if (found <= 0)
        return found;
    const char *line = (const char *)reader->bytes + reader->from;
    size_t n = reader->line;
    size_t text = line[n - 1] == '\n' ? n - 1 : n;
    int wrong = header_parse(record, line, text, fault);
    if (wrong == 0 && record->bytes > SIZE_MAX / 2)
        wrong = fault_data(fault, "a record of %" PRIu64 " bytes is too large for this machine",
                           record->bytes);
    if (wrong == 0)
        return 1;
    if (reader->last[0])
        fault_place(fault, "%s: after %s: ", reader->name, reader->last);
    else
        fault_place(fault, "%s: ", reader->name);
    return -1;
}

int reader_header(struct reader *reader, struct record *record, struct fault *fault)
{
    for (;;) {
        int got = next_header(reader, record, fault);
        if (got == 0 && !(reader->ended && reader_held(reader) == 0))
            return cut_short(reader, fault);
        if (got > 0 && record->kind == RECORD_PATCH && !reader->patches) {
            /* A patch is of no use without the file beside it. */
            const char *since = record_key(record, "since");
            return fault_data(fault, "%s: it holds what changed of a model since whole.%.40s.bin: "
                              "give the name of the file, in the folder of that one", reader->name,
                              since ? since : "?");
        }
        if (got <= 0 || record->kind != RECORD_END)
            return got;

        /* It counts the records since the last one. */
        if (record->rounds != reader->since)
            return fault_data(fault, "%s: the end record counts %" PRIu64 " rounds, but %" PRIu64
                              " came", reader->name, record->rounds, reader->since);
        reader->since = 0;
        reader->ended = true;
        reader->from += reader->line;
        if (reader->once) {
            if (reader_held(reader) == 0)
                return 0;
            return fault_data(fault, "%s: more came after the end record, which must be the end of "
                              "a ring", reader->name);
        }
    }
}

int reader_payload(struct reader *reader, struct record *record, struct fault *fault)
{
    size_t n = reader->line;

    /* The payload goes into memory, and large features into the splice where there is one. */
    struct splice *spliced = reader->spliced;
    size_t all = n + (size_t)record->bytes;
    size_t features = spliced && record->kind == RECORD_ROUND ? round_feature_bytes(record) : 0;
    bool large = features >= LARGE && features <= spliced->room;
    size_t head = large ? all - features : all;
    reader->copying = reader->copies || record->has_crc == CRC_KEPT;
    int got = reader_fill(reader, head, large, fault);
    if (got > 0 && large && reader_held(reader) + LARGE <= all)
        got = splice_payload(reader, record, all - reader_held(reader), fault);
    if (got > 0 && !record->spliced)
        got = reader_fill(reader, all, large, fault);
    /* So that the next header line and small columns come at once, without its features. */
    reader->read_most = large ? head + head / 4 + 64 : 0;
    if (got > 0 && record->spliced) {
        spliced->first = reader->bytes + reader->from + head;
        spliced->firsts = features - spliced->held;
    }

    if (got <= 0)
        return got == 0 ? cut_short(reader, fault) : -1;
    size_t here = reader_held(reader) - n;
    if (here > record->bytes)
        here = (size_t)record->bytes;
    const unsigned char *stored = reader->bytes + reader->from;
    if (checksum_check(record, stored, n, fault) < 0) {
        reader_refuse(reader, record, fault);
        return -1;
    }
    record_bind(record, stored + n, here);
    if (LITTLE_SWAPS)
        for (size_t c = 0; c < record->columns; c++) {
            const struct column *column = &record->column[c];
            void *numbers = (void *)(uintptr_t)column->data; /* in the reader's buffer */
            little_numbers(numbers, (size_t)column->count, column_width(column->type));
        }
    reader->at = reader->from;
    reader->from += n + here;
    reader->offset += record->bytes - here;

    reader->since++;
    reader->records++;
    reader->ended = false;
    name_record(record, reader->last);

    return 1;
}

int reader_next(struct reader *reader, struct record *record, struct fault *fault)
{
    int got = reader_header(reader, record, fault);
    return got > 0 ? reader_payload(reader, record, fault) : got;
}

/* ---- a file, mapped ---- */

int mapped_open(struct mapped *mapped, int fd, const char *name, struct watch *watch,
                struct fault *fault)
{
    struct stat is;
    mapped->map = NULL;
    reader_open(&mapped->reader, fd, name, watch);
    mapped->reader.keep = true;
    if (fstat(fd, &is) < 0)
        return fault_system(fault, "cannot read %s", name);
    if (LITTLE_SWAPS || !S_ISREG(is.st_mode) || is.st_size == 0 || lseek(fd, 0, SEEK_CUR) > 0)
        return 0; /* another program may have read a part of standard input */
    if ((uintmax_t)is.st_size > SIZE_MAX)
        return fault_no_room(fault, SIZE_MAX);
    mapped->bytes = (size_t)is.st_size;
    mapped->device = is.st_dev;
    mapped->inode = is.st_ino;
    mapped->map = mmap(NULL, mapped->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapped->map == MAP_FAILED) {
        mapped->map = NULL;
        return fault_system(fault, "cannot map %s", name);
    }
    reader_open_bytes(&mapped->reader, mapped->map, mapped->bytes, name);
    return 0;
}

int mapped_unchanged(const struct mapped *mapped, struct fault *fault)
{
    struct stat is;
    const char *name = mapped->reader.name;
    if (!mapped->map || stat(name, &is) < 0 || is.st_dev != mapped->device ||
        is.st_ino != mapped->inode || (uintmax_t)is.st_size >= mapped->bytes)
        return 0;
    return fault_other(fault, "%s became shorter while it was read", name);
}

void mapped_close(struct mapped *mapped)
{
    if (mapped->map)
        munmap(mapped->map, mapped->bytes);
    mapped->map = NULL;
    reader_close(&mapped->reader);
}
