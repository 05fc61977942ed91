/* spool: keeps the rounds that pass in a folder of whole streams. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "run/filter.h"
#include "say.h"
#include "log/request_index.h"
#include "model/model_file.h"
#include "log/spool_writer.h"

enum { EVERY = 100000 }; /* rounds of a file */

/* With -k: milliseconds until a log that could not be written is tried again; megabytes that must
 * be free, so that there is room to learn from the log. */
enum { RETRY = 1000, FREE = 256 };

static const char name_preset[] = "rounds";

struct spool {
    struct host *host;
    const char *name;
    char *const *folders;
    bool again;
    struct spool_writer log;
    struct request_index requests; /* with -y; its log NULL: none */
    bool keeps_on;                 /* -k: what cannot be stored is passed on all the same */
    uint64_t least;                /* -F */
    struct outage {                /* of a log that cannot be written */
        bool on;
        long again;      /* when it is looked at again, as watch_now has it */
        uint64_t times;  /* outages so far */
        uint64_t before; /* rounds not stored before this one */
    } outage;
    uint64_t passed; /* rounds passed on that were not in the log before */
    bool batches;    /* rounds that pass together are committed together, before `out` writes */
    bool lost;       /* rounds passed on since the last commit are not in the log */
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

/* Do the options go together, and with the operands? */
static int check(const struct spool *my, const struct options *options)
{
    struct fault *fault = options->fault;
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

static int parse(void *self, struct options *options, struct host *host)
{
    struct spool *my = self;
    my->host = host;
    my->log.lock_fd = -1;
    my->least = FREE;
    int letter = options_read(options);
    my->folders = options_operands(options);
    host->saves = true;
    return letter < 0 ? letter : check(my, options);
}

/* ---- writing ---- */

static void warn_of(void *to, const char *text)
{
    warn(((const struct spool *)to)->host, "spool", "%s", text);
}

/* An outage begins, or lasts: for the reason `why`. Only its beginning is reported. */
static void suffer(struct spool *my, const char *why)
{
    my->outage.again = watch_now() + RETRY;
    if (!my->outage.on && ++my->outage.times <= WARNINGS)
        warn(my->host, "spool",
             "%s: until the log can be written, rounds are passed on without "
             "request=, and nothing is learnt from them",
             why);
    my->outage.on = true;
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
    bool lost = my->log.total < had;
    if (lost && my->requests.log) request_index_take_back(&my->requests);
    my->lost = my->lost || lost;
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

/* Has the disk too little room? */
static bool is_short(const struct spool *my)
{
    struct statvfs is;
    if (!my->least || statvfs(my->log.folder, &is) < 0) return false;
    return (double)is.f_bavail * (double)is.f_frsize < (double)my->least * 1e6;
}

/* With -k: may the log be written now? Looks at most once in RETRY. 1 or 0. */
static int may_store(struct spool *my)
{
    char why[SPOOL_PATH + 100];
    struct fault *fault = my->host->fault;
    if (watch_now() < my->outage.again) return !my->outage.on;
    my->outage.again = watch_now() + RETRY;
    snprintf(why, sizeof why, "%s: less than %" PRIu64 " MB are free", my->log.folder, my->least);
    bool fails = my->log.failed && take_back(my, fault) < 0 && outlive(my, fault) == 0;
    if (!fails && is_short(my)) {
        fails = true;
        suffer(my, why);
    }
    if (fails || !my->outage.on) return !fails;
    if (my->outage.times <= WARNINGS)
        warn(my->host, "spool", "%s: rounds are stored again; %" PRIu64 " were not", my->log.folder,
             my->passed - my->log.total - my->outage.before);
    my->outage.on = false;
    my->outage.before = my->passed - my->log.total;
    return 1;
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
    if (my->requests.log) request_index_commit(&my->requests);
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
    if (!my->log.syncs) return 0;
    my->requests = (struct request_index){ .log = &my->log, .warn = warn_of, .to = my };
    return request_index_open(&my->requests, my->host->watch, my->host->fault);
}

/* Is the round's request in the log? Then the round becomes the one that is stored. */
static enum request_found find_request(struct spool *my, struct round *round)
{
    struct fault *fault = my->host->fault;
    if (!my->requests.log) return REQUEST_NEW;
    enum request_found found = request_index_find(&my->requests, round, fault);
    return found == REQUEST_FAULT && fault->kind == FAULT_SYSTEM && fall_back(my, fault) == 0
               ? REQUEST_NEW
               : found;
}

/* 1; 0 where with -k the round is not stored; or a fault. */
static int store(struct spool *my, struct round *round)
{
    struct fault *fault = my->host->fault;
    if (my->keeps_on && !may_store(my)) return 0;
    if (round->t <= my->log.last)
        return fault_data(fault,
                          "the log in %s has rounds up to %" PRIu64 " already: give new "
                          "rounds higher numbers (-b), or skip old rounds with spool -a",
                          my->log.folder, my->log.last);
    uint64_t had = my->log.total;
    int put = my->requests.log ? request_index_put(&my->requests, round, fault)
                               : spool_writer_put(&my->log, round->record, round->t, NULL, fault);
    if (put < 0 && fall_back(my, fault) < 0) return -1;
    int lost = my->batches ? 0 : commit(my, fault);
    return lost < 0 ? -1 : my->log.total > had;
}

static enum outcome log_round(void *self, struct round *round)
{
    struct spool *my = self;
    if (round->t <= my->log.last && my->again) return DROP;
    enum request_found found = find_request(my, round);
    int stored = found == REQUEST_NEW ? store(my, round) : 1;
    if (found == REQUEST_FAULT || stored < 0) return FAIL;
    my->passed += found == REQUEST_NEW;
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
    put(to, "log_fails", my->outage.on);
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
    request_index_close(&my->requests);
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
