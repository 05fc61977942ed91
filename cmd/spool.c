/* spool: keeps the rounds that pass in a folder of whole streams. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "log/spool_folder.h"
#include "log/spool_writer.h"
#include "run/filter.h"
#include "say.h"

enum { EVERY = 100000 }; /* rounds of a file */

/* With -k: milliseconds until a log that could not be written is tried again; megabytes that must
 * be free, so that there is room to learn from the log. */
enum { RETRY = 1000, FREE = 256 };

static const char name_preset[] = "rounds";

struct spool {
    struct host *host;
    const char *name;
    char *const *folders;
    bool again; /* -a */
    struct spool_writer log;
    bool keeps_on;       /* -k: what cannot be stored is passed on all the same */
    uint64_t least;      /* -F */
    bool outage;         /* the log cannot be written */
    long look_again;     /* when it is looked at again, as watch_now has it */
    uint64_t outages;    /* so far */
    uint64_t not_stored; /* rounds of earlier outages */
    uint64_t passed;     /* rounds passed on that were not in the log before */
    bool batches;        /* rounds that pass together are committed together, before `out` writes */
    bool lost;           /* rounds passed on since the last commit are not in the log */
};

static const struct option options_known[] = {
    { 'F', "megabytes", NULL,
      "with -k: store nothing while less than this is free, 0 or more "
      "(default 256)",
      OPTION_WHOLE(spool, least, 0, 1 << 30) },
    { 'a', NULL, NULL, "drop rounds up to the last one in the log (default: refuse them)",
      OPTION_FLAG(spool, again) },
    { 'c', "rounds", NULL, "finish a file after so many rounds, 1 or more (default 100000)",
      OPTION_WHOLE(spool, log.every, 1, RECORD_MOST) },
    { 'k', NULL, NULL,
      "pass rounds that cannot be stored on without the key request (default: "
      "end)",
      OPTION_FLAG(spool, keeps_on) },
    { 'n', "name", NULL, "name of the log (default rounds)", OPTION_TEXT(spool, name) },
    { 't', "seconds", NULL, "finish a file after so many seconds, 1 or more (default: no limit)",
      OPTION_WHOLE(spool, log.seconds, 1, 1000000) },
    { 'y', NULL, NULL,
      "sync rounds to the disk before they are passed on, and give a request that "
      "comes again the round that is stored (default: write every round)",
      OPTION_FLAG(spool, log.syncs) },
    { 0 },
};

static int parse(void *self, struct options *options, struct host *host)
{
    struct spool *my = self;
    struct fault *fault = options->fault;
    my->host = host;
    my->log.lock_fd = -1;
    my->least = FREE;
    host->saves = true;
    int letter = options_read(options);
    my->folders = options_operands(options);
    if (letter < 0) return letter;
    if (my->name && !spool_name_valid(my->name))
        return fault_usage(fault,
                           "-n wants a name of 1 to %d bytes, with no slash, and no dot at "
                           "its start, not '%.40s'",
                           SPOOL_NAME, my->name);
    if (!*my->folders) return fault_usage(fault, "no folder named");
    if (my->folders[1])
        return fault_usage(fault, "give one folder, without '%.40s'", my->folders[1]);
    if (!my->keeps_on && options->given['F'])
        return fault_usage(fault, "-F needs -k: without it a full disk ends spool");
    return 0;
}

/* ---- writing ---- */

static void warn_of(void *to, const char *text)
{
    warn(((const struct spool *)to)->host, "spool", "%s", text);
}

/* An outage begins, or lasts: for the reason `why`. Only its beginning is reported. */
static void suffer(struct spool *my, const char *why)
{
    my->look_again = watch_now() + RETRY;
    if (!my->outage && ++my->outages <= WARNINGS)
        warn(my->host, "spool",
             "%s: until the log can be written, rounds are passed on without "
             "request=, and nothing is learnt from them",
             why);
    my->outage = true;
}

/* With -k: forgives that the log could not be written: 0; or -1. */
static int outlive(void *self, struct fault *fault)
{
    struct spool *my = self;
    if (!my->keeps_on) return -1;
    suffer(my, fault->text);
    *fault = (struct fault){ FAULT_NONE, "" };
    return 0;
}

/* Cuts the log back to the last commit. 0 or a fault. */
static int take_back(struct spool *my, struct fault *fault)
{
    uint64_t had = my->log.total;
    int result = spool_writer_take_back(&my->log, fault);
    my->lost = my->lost || my->log.total < had;
    return result;
}

/* Forgives as `outlive`, and cuts the log back at once, so that it stays whole. */
static int fall_back(struct spool *my, struct fault *fault)
{
    struct fault again = { FAULT_NONE, "" };
    if (outlive(my, fault) < 0) return -1;
    (void)take_back(my, &again); /* else it is tried again, before anything is written */
    return 0;
}

/* With -k: may the log be written now? Looks at most once in RETRY: it must be cut back, and the
 * disk must have room. */
static bool may_store(struct spool *my)
{
    char why[SPOOL_PATH + 100];
    struct statvfs disk;
    struct fault *fault = my->host->fault;
    if (watch_now() < my->look_again) return !my->outage;
    my->look_again = watch_now() + RETRY;
    if (my->log.failed && take_back(my, fault) < 0 && outlive(my, fault) == 0) return false;
    if (my->least && statvfs(my->log.folder, &disk) == 0 &&
        (double)disk.f_bavail * (double)disk.f_frsize < (double)my->least * 1e6) {
        snprintf(why, sizeof why, "%s: less than %" PRIu64 " MB are free", my->log.folder,
                 my->least);
        suffer(my, why);
        return false;
    }
    if (!my->outage) return true;
    if (my->outages <= WARNINGS)
        warn(my->host, "spool", "%s: rounds are stored again; %" PRIu64 " were not", my->log.folder,
             my->passed - my->log.total - my->not_stored);
    my->outage = false;
    my->not_stored = my->passed - my->log.total;
    return true;
}

/* What passed is with the system, or on the disk. 0; 1 where with -k some of it is not; or a
 * fault. */
static int commit(void *self, struct fault *fault)
{
    struct spool *my = self;
    bool waits = my->keeps_on && my->log.failed; /* for its next look */
    if (!waits && spool_writer_commit(&my->log, fault) < 0 && fall_back(my, fault) < 0) return -1;
    bool lost = my->lost;
    my->lost = false;
    return lost;
}

static int open_log(void *self)
{
    struct spool *my = self;
    struct spool_salvaged salvaged;
    my->log.folder = my->folders[0];
    my->log.name = my->name ? my->name : name_preset;
    my->log.every = my->log.every ? my->log.every : EVERY;
    my->log.outlive = outlive;
    my->log.warn = warn_of;
    my->log.to = my;
    if (spool_writer_open(&my->log, my->host->watch, &salvaged, my->host->fault) < 0) return -1;
    if (*salvaged.file.name && my->log.salvaged)
        warn(my->host, "spool",
             "%s: %s was left open at round %" PRIu64 ": %" PRIu64 " rounds "
             "kept, %" PRIu64 " bytes lost",
             my->log.folder, my->log.name, salvaged.file.first, salvaged.rounds, salvaged.lost);
    my->batches = my->host->last && (my->host->served || !my->keeps_on);
    if (my->batches) {
        my->host->out->before = commit;
        my->host->out->self = my;
    }
    return my->log.syncs ? spool_writer_remember(&my->log, my->host->watch, my->host->fault) : 0;
}

static enum outcome log_round(void *self, struct round *round)
{
    struct spool *my = self;
    struct fault *fault = my->host->fault;
    bool stored = false;
    if (round->t <= my->log.last && my->again) return DROP;
    enum spooled found = spool_writer_find(&my->log, round, fault);
    if (found == SPOOL_FOUND) return PASS;
    if (found == SPOOL_FAULT && (fault->kind != FAULT_SYSTEM || fall_back(my, fault) < 0))
        return FAIL;
    if (!my->keeps_on || may_store(my)) {
        if (round->t <= my->log.last)
            return fault_data(fault,
                              "the log in %s has rounds up to %" PRIu64 " already: give new "
                              "rounds higher numbers (-b), or skip old rounds with spool -a",
                              my->log.folder, my->log.last);
        uint64_t had = my->log.total;
        if (spool_writer_put(&my->log, round, fault) < 0 && fall_back(my, fault) < 0) return FAIL;
        if (!my->batches && commit(my, fault) < 0) return FAIL;
        stored = my->log.total > had;
    }
    my->passed++;
    if (!stored) round_drop_key(round, KEY_REQUEST);
    return PASS;
}

/* Finishes the file at the end; with -k one that cannot be finished is left to the next start. */
static int finish(struct spool *my, struct fault *fault)
{
    bool waits = my->keeps_on && my->log.failed;
    return waits || spool_writer_cut(&my->log, fault) == 0 ? 0 : outlive(my, fault);
}

static void facts(const void *self, void (*put)(void *to, const char *name, double value), void *to)
{
    const struct spool *my = self;
    if (!my->keeps_on) return;
    put(to, "unstored_rounds", (double)(my->passed - my->log.total)); /* for one release */
    put(to, "unstored_rounds_total", (double)(my->passed - my->log.total));
    put(to, "log_fails", my->outage);
    put(to, "least_free_bytes", (double)my->least * 1e6);
}

/* Of all logs of the folder. */
static int last(const void *self, uint64_t *t)
{
    const struct spool *my = self;
    return spool_last(my->folders[0], NULL, t, my->host->fault);
}

/* The log is whole before the end record is written. */
static int end_spool(void *self)
{
    struct spool *my = self;
    return finish(my, my->host->fault);
}

/* Whatever ended the rounds, those of the open file are whole. */
static int close_spool(void *self, enum ended ended)
{
    struct spool *my = self;
    struct fault cutting = { FAULT_NONE, "" };
    (void)ended;
    if (finish(my, &cutting) < 0 && cutting.kind != FAULT_NONE)
        fault_also(my->host->fault, &cutting);
    spool_writer_close(&my->log);
    return my->host->fault->kind == FAULT_NONE ? 0 : -1;
}

const struct filter spool = {
    .name = "spool",
    .usage = "[-aky] [-F megabytes] [-c rounds] [-n name] [-t seconds] folder",
    .line = "keeps rounds in a folder",
    .options = options_known,
    .operand = { .value = "folder", .text = "folder of the log, which is made if it is missing" },
    .size = sizeof(struct spool),
    .kind = FILTER,
    .parse = parse,
    .open = open_log,
    .last = last,
    .facts = facts,
    .each = log_round,
    .end = end_spool,
    .close = close_spool,
};
