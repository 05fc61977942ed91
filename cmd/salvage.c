/* salvage: passes on the whole rounds of streams that are cut or damaged.
 *
 * A record is whole if all of its bytes are there, and have its crc=; without crc=, if a header
 * line or the end follows it, or no header line begins in its payload.
 *
 * A payload may have been made by somebody who wants a record of his own to be found in it. So
 * nothing is taken from within the payload of a damaged record that is followed by a header line
 * or by the end. Of a record that was cut, and of which the payload therefore ends in what was
 * appended, the bytes that it announces may still be its own: there a record is only taken if it
 * and those after it are whole, one after the other, to the end of those bytes or of the input. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run/filter.h"
#include "say.h"
#include "stream/record_header.h"

static const char magic[] = "rankpipe/1 ";
enum { MAGIC = sizeof magic - 1, KIND = sizeof "round " - 1 };

struct salvager {
    struct host *host;
    char *const *files;           /* those not opened yet */
    bool part;                    /* -p */
    uint64_t kept, bytes, losses; /* so far: records passed on; bytes and places lost */

    struct reader reader; /* of the file at hand, open where its name is not NULL */
    struct {              /* of that file */
        uint64_t skipped;      /* bytes since the last whole record that belong to none */
        uint64_t until;        /* where the payload of a cut record would end, in the input */
        uint64_t since;        /* whole records since the last end record or loss */
        bool ended, broken;    /* the last whole record was an end record; a loss came after it */
        bool began;            /* a whole record has come */
        uint64_t held;         /* -p: bytes lost since, of the record at the end if no more come */
        char last[ROUND_NAME]; /* the last round passed on, or empty */
    } file;
};

static const struct option options_known[] = {
    { 'p', NULL, NULL, "each file is a part of a stream, cut at any byte: records that are cut at "
                       "its ends are no loss, nor is an end record (default: they are)",
      OPTION_FLAG(salvager, part) },
    { 0 },
};

static int parse(void *self, struct options *options, struct host *host)
{
    static char *const standard_input[] = { "-", NULL };
    struct salvager *my = self;
    int letter = options_read(options);
    my->host = host;
    my->files = options_operands(options);
    if (!*my->files)
        my->files = standard_input;
    return letter;
}

/* ---- what is at a place ---- */

static size_t held(const struct salvager *my)
{
    return reader_held(&my->reader);
}

static const unsigned char *bytes(const struct salvager *my)
{
    return my->reader.bytes ? my->reader.bytes + my->reader.from : NULL;
}

/* Where in n bytes a header line of this version may begin, or its beginning at their end: n where
 * it cannot. */
static size_t find_magic(const unsigned char *at, size_t n)
{
    if (n == 0)
        return 0;
    const unsigned char *end = at + n, *next = memchr(at, *magic, n);
    for (; next; next = memchr(next + 1, *magic, (size_t)(end - next - 1))) {
        size_t left = (size_t)(end - next);
        if (memcmp(next, magic, left < MAGIC ? left : MAGIC) == 0)
            return (size_t)(next - at);
    }
    return n;
}

/* Does a header line begin in the first `within` of n bytes? */
static bool has_header(const unsigned char *at, size_t within, size_t n)
{
    for (size_t from = 0; from < within; from++) {
        from += find_magic(at + from, n - from);
        if (from >= within || n - from < MAGIC)
            return false;
        const char *kind = (const char *)at + from + MAGIC;
        size_t left = n - from - MAGIC;
        if ((left >= KIND && (memcmp(kind, "round ", 6) == 0 || memcmp(kind, "model ", 6) == 0)) ||
            (left >= 4 && memcmp(kind, "end ", 4) == 0))
            return true;
    }
    return false;
}

/* Skips n bytes, and then all to the next place where a header line may begin: 1, 0 at the end of
 * the input, or a fault. */
static int skip(struct salvager *my, size_t n)
{
    for (;;) {
        if (held(my) > n)
            n += find_magic(bytes(my) + n, held(my) - n);
        my->file.skipped += n;
        my->reader.from += n;
        int got = reader_fill(&my->reader, MAGIC, false, my->host->fault);
        if (got <= 0) {
            my->file.skipped += held(my);
            my->reader.from = my->reader.until;
            return got;
        }
        n = find_magic(bytes(my), held(my));
        if (n == 0)
            return 1;
    }
}

/* The header line that begins `at` bytes on: its length with its LF, or 0 where there is none. */
static int find_line(struct salvager *my, size_t at, size_t *line)
{
    for (size_t looked = 0;;) {
        size_t have = held(my) - at < RECORD_LINE ? held(my) - at : RECORD_LINE;
        const unsigned char *from = have ? bytes(my) + at : NULL;
        const unsigned char *end = have ? memchr(from + looked, '\n', have - looked) : NULL;
        *line = end ? (size_t)(end - from) + 1 : 0;
        if (end || have == RECORD_LINE)
            return 0;
        looked = have;
        int got = reader_fill(&my->reader, at + have + 1, false, my->host->fault);
        if (got <= 0)
            return got;
    }
}

/* What begins at a place: no header line; a record that was cut; one that is damaged, and ends
 * where it says; or a whole one. */
enum look { LOOK_NONE, LOOK_CUT, LOOK_DAMAGED, LOOK_WHOLE };

/* Looks at the place `at` bytes on: *found is what begins there, *n the bytes of a record. 0 or a
 * fault. */
static int look_at(struct salvager *my, size_t at, struct record *record, enum look *found,
                   size_t *n)
{
    struct fault wrong = { FAULT_NONE, "" };
    size_t line;
    *found = LOOK_NONE;
    if (find_line(my, at, &line) < 0) return -1;
    if (line == 0 || header_parse(record, (const char *)bytes(my) + at, line - 1, &wrong) < 0 ||
        record->bytes > SIZE_MAX / 4)
        return 0;
    *n = line + (size_t)record->bytes;
    if (reader_fill(&my->reader, at + *n + MAGIC + KIND, false, my->host->fault) < 0) return -1;
    *found = LOOK_CUT;
    if (held(my) < at + *n)
        return 0;
    const unsigned char *stored = bytes(my) + at;
    const size_t left = held(my) - at - *n;
    const bool crc = record->has_crc == CRC_KEPT;
    bool ends = left == 0 || memcmp(stored + *n, magic, left < MAGIC ? left : MAGIC) == 0;
    if (crc && checksum_check(record, stored, line, &wrong) < 0)
        *found = ends ? LOOK_DAMAGED : LOOK_CUT;
    else if (crc || ends || !has_header(stored + line, (size_t)record->bytes, *n + left - line))
        *found = LOOK_WHOLE;
    return 0;
}

/* Where the input has the bytes at hand. */
static uint64_t place(const struct salvager *my)
{
    return my->reader.offset + my->reader.from;
}

/* Do whole records follow each other from here to `until`, or to the end of the input? *n becomes
 * the bytes of those that do. 1, 0 or a fault. */
static int follow(struct salvager *my, struct record *record, size_t *n)
{
    for (*n = 0; place(my) + *n < my->file.until;) {
        size_t next;
        enum look found;
        if (reader_fill(&my->reader, *n + 1, false, my->host->fault) < 0) return -1;
        if (held(my) == *n)
            return 1;
        if (look_at(my, *n, record, &found, &next) < 0) return -1;
        if (found != LOOK_WHOLE)
            return 0;
        *n += next;
    }
    return 1;
}

/* Reads the record at hand: 1; 0 where it is not taken, and *n bytes go; or a fault. */
static int read_whole(struct salvager *my, struct record *record, size_t *n)
{
    enum look found;
    if (place(my) < my->file.until) {
        int follows = follow(my, record, n);
        if (follows < 0 || (follows == 0 && *n > 0))
            return follows;
        my->file.until = follows ? 0 : my->file.until;
    }
    if (look_at(my, 0, record, &found, n) < 0) return -1;
    if (found == LOOK_CUT && place(my) >= my->file.until)
        my->file.until = place(my) + *n;
    if (found == LOOK_NONE || found == LOOK_CUT)
        *n = 1;
    return found == LOOK_WHOLE;
}

/* Something is lost before the next record or the end: *lost bytes. Returns 1. */
static int lose(struct salvager *my, bool *whole, uint64_t *lost)
{
    *whole = false;
    *lost = my->file.skipped;
    my->file.skipped = 0;
    my->file.since = 0;
    my->file.broken = true;
    return 1;
}

/* Reads on to the next record that is a round or a model, and binds it to a payload that is valid
 * until the next call. Memory grows with the largest record, or with what a damaged header line
 * announces and the input has.
 *   1   *whole: the record is there; else *lost bytes before the next record or the end belong to
 *       no whole record: 0 where whole records are missing, or an end record
 *   0   the end of the file
 *   -1  a fault: the input cannot be read */
static int next_record(struct salvager *my, struct record *record, bool *whole, uint64_t *lost)
{
    for (;;) {
        size_t n;
        int got = skip(my, 0);
        if (got == 0) /* a loss where no end record came just before */
            return my->file.skipped == 0 && (my->file.ended || my->file.broken)
                       ? 0 : lose(my, whole, lost);
        int taken = got < 0 ? -1 : read_whole(my, record, &n);
        if (taken < 0 || (taken == 0 && skip(my, n) < 0)) return -1;
        if (taken == 0)
            continue;
        if (my->file.skipped)
            return lose(my, whole, lost);

        const unsigned char *end = bytes(my) + n;
        my->file.ended = record->kind == RECORD_END;
        *lost = 0;
        *whole = !my->file.ended || my->file.broken || record->rounds == my->file.since;
        if (!my->file.ended)
            record_bind(record, end - record->bytes, (size_t)record->bytes);
        my->reader.from += n;
        my->file.since = my->file.ended ? 0 : my->file.since + 1;
        my->file.broken = my->file.broken && !my->file.ended;
        if (!*whole || !my->file.ended)
            return 1;
    }
}

/* ---- the files ---- */

static void close_file(struct salvager *my)
{
    if (my->reader.name && my->reader.fd > STDIN_FILENO)
        close(my->reader.fd);
    if (my->reader.name)
        reader_close(&my->reader);
    my->reader.name = NULL;
}

/* Opens the next file: 0 or a fault. */
static int open_file(struct salvager *my)
{
    const char *file = *my->files;
    struct fault *fault = my->host->fault;
    my->files++;
    bool standard = strcmp(file, "-") == 0;
    if (standard && isatty(STDIN_FILENO))
        return fault_usage(fault, "standard input is a terminal, and rounds are binary");
    int fd = standard ? STDIN_FILENO : watch_open(my->host->watch, file, O_RDONLY, 0, fault);
    if (fd < 0)
        return fault_system(fault, "cannot open %s", file);
    reader_open(&my->reader, fd, standard ? "<stdin>" : file, my->host->watch);
    memset(&my->file, 0, sizeof my->file);
    return 0;
}

static void report(struct salvager *my, const char *what)
{
    if (my->losses++ < WARNINGS)
        warn(my->host, "salvage", "%s: %s%s: %s", my->reader.name,
             *my->file.last ? "after " : "before the first whole round", my->file.last, what);
}

static void report_lost(struct salvager *my, uint64_t lost)
{
    char what[80] = "an end record or rounds before it are missing";
    if (lost)
        snprintf(what, sizeof what, "%" PRIu64 " bytes belong to no whole record", lost);
    my->bytes += lost;
    report(my, what);
}

/* A record that is whole: checks a round without a CRC, because bytes within it may be damaged.
 * One with its CRC is what was written, also where a newer version wrote it. Where there is no
 * memory to check it, no round is lost. */
static enum outcome check_record(struct salvager *my, struct round *round)
{
    struct fault wrong = { FAULT_NONE, "" };
    const bool is_round = round->record->kind == RECORD_ROUND;
    if (round_erased(round->record))
        return DROP;
    if (is_round && round_read(round, &wrong) < 0) {
        if (wrong.kind != FAULT_DATA) {
            *my->host->fault = wrong;
            return FAIL;
        }
        if (round->record->has_crc != CRC_KEPT) {
            report(my, wrong.text);
            return DROP;
        }
    } else if (is_round) {
        round_name(round, my->file.last);
    }
    my->kept++;
    return PASS;
}

static enum outcome each(void *self, struct round *round)
{
    struct salvager *my = self;
    uint64_t lost;
    bool whole;
    for (;;) {
        if (!my->reader.name && !*my->files)
            return DONE;
        if (!my->reader.name && open_file(my) < 0) return FAIL;
        int got = next_record(my, round->record, &whole, &lost);
        if (got < 0) return FAIL;
        if (got == 0) {
            close_file(my);
        } else if (whole) {
            if (my->file.held)
                report_lost(my, my->file.held);
            my->file.held = 0;
            my->file.began = true;
            return check_record(my, round);
        } else if (!my->part) {
            report_lost(my, lost);
        } else if (my->file.began) { /* what comes before is of other parts */
            my->file.held += lost;
        }
    }
}

/* Everything that is whole has been written, and the stream has its end record. */
static int close_salvage(void *self, enum ended ended)
{
    struct salvager *my = self;
    close_file(my);
    if (ended != CLEAN || my->losses == 0)
        return 0;
    return fault_lost(my->host->fault, "%" PRIu64 " place%s with losses: %" PRIu64 " bytes lost, "
                      "%" PRIu64 " rounds kept", my->losses, my->losses == 1 ? "" : "s", my->bytes,
                      my->kept);
}

const struct filter salvage = {
    .name = "salvage",
    .usage = "[-p] [file ...]",
    .line = "passes on the whole rounds of cut or damaged streams",
    .options = options_known,
    .operand = { .value = "file", .text = "file of a stream; - is standard input, the default" },
    .size = sizeof(struct salvager),
    .kind = SOURCE,
    .parse = parse,
    .each = each,
    .close = close_salvage,
};
