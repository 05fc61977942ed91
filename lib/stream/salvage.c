#include "stream/salvage.h"

#include <string.h>

#include "stream/checksum.h"
#include "stream/header.h"

static const char magic[] = "rankpipe/1 ";
enum { MAGIC = sizeof magic - 1, KIND = sizeof "round " - 1 };

static size_t held(const struct salvage *salvage)
{
    return reader_held(salvage->reader);
}

static const unsigned char *bytes(const struct salvage *salvage)
{
    const struct reader *reader = salvage->reader;
    return reader->bytes ? reader->bytes + reader->from : NULL;
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
static int skip(struct salvage *salvage, size_t n, struct fault *fault)
{
    for (;;) {
        if (held(salvage) > n)
            n += find_magic(bytes(salvage) + n, held(salvage) - n);
        salvage->skipped += n;
        salvage->reader->from += n;
        int got = reader_fill(salvage->reader, MAGIC, false, fault);
        if (got <= 0) {
            salvage->skipped += held(salvage);
            salvage->reader->from = salvage->reader->until;
            return got;
        }
        n = find_magic(bytes(salvage), held(salvage));
        if (n == 0)
            return 1;
    }
}

/* The header line that begins `at` bytes on: its length with its LF, or 0 where there is none. */
static int find_line(struct salvage *salvage, size_t at, size_t *line, struct fault *fault)
{
    for (size_t looked = 0;;) {
        size_t have = held(salvage) - at < RECORD_LINE ? held(salvage) - at : RECORD_LINE;
        const unsigned char *from = have ? bytes(salvage) + at : NULL;
        const unsigned char *end = have ? memchr(from + looked, '\n', have - looked) : NULL;
        *line = end ? (size_t)(end - from) + 1 : 0;
        if (end || have == RECORD_LINE)
            return 0;
        looked = have;
        int got = reader_fill(salvage->reader, at + have + 1, false, fault);
        if (got <= 0)
            return got;
    }
}

/* What begins at a place: no header line; a record that was cut; one that is damaged, and ends
 * where it says; or a whole one. */
enum look { LOOK_FAULT = -1, LOOK_NONE, LOOK_CUT, LOOK_DAMAGED, LOOK_WHOLE };

/* Looks at the place `at` bytes on. *n becomes the bytes of the record there. */
static enum look look_at(struct salvage *salvage, size_t at, struct record *record, size_t *n,
                      struct fault *fault)
{
    struct fault wrong = { FAULT_NONE, "" };
    size_t line;
    if (find_line(salvage, at, &line, fault) < 0)
        return LOOK_FAULT;
    if (line == 0 ||
        header_parse(record, (const char *)bytes(salvage) + at, line - 1, &wrong) < 0 ||
        record->bytes > SIZE_MAX / 4)
        return LOOK_NONE;
    *n = line + (size_t)record->bytes;
    if (reader_fill(salvage->reader, at + *n + MAGIC + KIND, false, fault) < 0)
        return LOOK_FAULT;
    if (held(salvage) < at + *n)
        return LOOK_CUT;
    const unsigned char *stored = bytes(salvage) + at;
    size_t left = held(salvage) - at - *n;
    bool ends = left == 0 || memcmp(stored + *n, magic, left < MAGIC ? left : MAGIC) == 0;
    if (record->has_crc == CRC_KEPT)
        return checksum_check(record, stored, line, &wrong) == 0 ? LOOK_WHOLE
               : ends                                            ? LOOK_DAMAGED
                                                                 : LOOK_CUT;
    return ends || !has_header(stored + line, (size_t)record->bytes, *n + left - line) ? LOOK_WHOLE
                                                                                       : LOOK_CUT;
}

/* Where the input has the bytes at hand. */
static uint64_t place(const struct salvage *salvage)
{
    return salvage->reader->offset + salvage->reader->from;
}

/* Do whole records follow each other from here to `until`, or to the end of the input? *n becomes
 * the bytes of those that do. 1, 0 or a fault. */
static int follow(struct salvage *salvage, struct record *record, size_t *n, struct fault *fault)
{
    for (*n = 0; place(salvage) + *n < salvage->until;) {
        size_t next;
        if (reader_fill(salvage->reader, *n + 1, false, fault) < 0)
            return -1;
        if (held(salvage) == *n)
            return 1;
        enum look found = look_at(salvage, *n, record, &next, fault);
        if (found != LOOK_WHOLE)
            return found == LOOK_FAULT ? -1 : 0;
        *n += next;
    }
    return 1;
}

/* Reads the record at hand: 1; 0 where it is not taken, and *n bytes go; or a fault. */
static int read_whole(struct salvage *salvage, struct record *record, size_t *n,
                      struct fault *fault)
{
    if (place(salvage) < salvage->until) {
        int follows = follow(salvage, record, n, fault);
        if (follows < 0 || (follows == 0 && *n > 0))
            return follows;
        salvage->until = follows ? 0 : salvage->until;
    }
    enum look found = look_at(salvage, 0, record, n, fault);
    if (found == LOOK_CUT && place(salvage) >= salvage->until)
        salvage->until = place(salvage) + *n;
    if (found == LOOK_NONE || found == LOOK_CUT)
        *n = 1;
    return found == LOOK_FAULT ? -1 : found == LOOK_WHOLE;
}

/* Takes the whole record at hand, of n bytes, as the next one. True where it is a loss that an end
 * record counts more records than came. */
static bool accept(struct salvage *salvage, struct record *record, size_t n)
{
    const unsigned char *end = bytes(salvage) + n;
    bool end_record = record->kind == RECORD_END;
    bool missing = end_record && !salvage->broken && record->rounds != salvage->since;
    if (!end_record)
        record_bind(record, end - record->bytes, (size_t)record->bytes);
    salvage->reader->from += n;
    salvage->since = end_record ? 0 : salvage->since + 1;
    salvage->broken = salvage->broken && !end_record;
    salvage->ended = end_record;
    return missing;
}

static enum salvaged lose(struct salvage *salvage, uint64_t *lost)
{
    *lost = salvage->skipped;
    salvage->skipped = 0;
    salvage->since = 0;
    salvage->broken = true;
    return SALVAGE_LOSS;
}

/* The input is at its end, which is a loss where no end record came just before. */
static enum salvaged finish_file(struct salvage *salvage, uint64_t *lost)
{
    if (salvage->skipped == 0 && (salvage->ended || salvage->broken))
        return SALVAGE_END;
    return lose(salvage, lost);
}

enum salvaged salvage_next(struct salvage *salvage, struct record *record, uint64_t *lost,
                           struct fault *fault)
{
    for (;;) {
        size_t n;
        int got = skip(salvage, 0, fault);
        if (got == 0)
            return finish_file(salvage, lost);
        int whole = got < 0 ? -1 : read_whole(salvage, record, &n, fault);
        if (whole < 0)
            return SALVAGE_FAULT;
        if (whole == 0 && skip(salvage, n, fault) < 0)
            return SALVAGE_FAULT;
        if (whole == 0)
            continue;
        if (salvage->skipped)
            return lose(salvage, lost);
        *lost = 0;
        if (accept(salvage, record, n))
            return SALVAGE_LOSS;
        if (record->kind != RECORD_END)
            return SALVAGE_RECORD;
    }
}
