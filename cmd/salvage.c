/* salvage: passes on the whole rounds of streams that are cut or damaged. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run/filter.h"
#include "say.h"
#include "stream/rescue.h"

struct salvager {
    struct host *host;
    char *const *files; /* those not opened yet */
    struct reader reader; /* of the file at hand, open where its name is not NULL */
    struct rescue rescue;
    bool part;     /* -p */
    bool began;    /* a whole record of the file at hand has come */
    uint64_t held; /* -p: bytes lost since, which are of the record at the end if no more come */
    uint64_t kept, bytes, losses; /* so far: records passed on; bytes and places lost */
    char last[ROUND_NAME];        /* of the file at hand: the last round passed on, or empty */
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
    my->rescue = (struct rescue){ .reader = &my->reader };
    my->last[0] = '\0';
    my->began = false;
    my->held = 0;
    return 0;
}

static void report(struct salvager *my, const char *what)
{
    if (my->losses++ < WARNINGS)
        warn(my->host, "salvage", "%s: %s%s: %s", my->reader.name,
             *my->last ? "after " : "before the first whole round", my->last, what);
}

/* Bytes before the first whole record and after the last one are those of other parts. */
static void hold(struct salvager *my, uint64_t lost)
{
    my->held += my->began ? lost : 0;
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
        round_name(round, my->last);
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
        int got = rescue_next(&my->rescue, round->record, &whole, &lost, my->host->fault);
        if (got < 0) return FAIL;
        if (got == 0) {
            close_file(my);
        } else if (whole) {
            if (my->held)
                report_lost(my, my->held);
            my->held = 0;
            my->began = true;
            return check_record(my, round);
        } else if (my->part) {
            hold(my, lost);
        } else {
            report_lost(my, lost);
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
