/* spool: keeps the rounds that pass in a folder of whole streams, and reads them back. */
#include <inttypes.h>

#include "run/filter.h"
#include "say.h"
#include "stream/model_file.h"
#include "log/request_index.h"
#include "log/spool_reader.h"
#include "log/spool_writer.h"
#include "log/merged_log.h"

enum { EVERY = 100000, POLL = 100 }; /* rounds of a file; milliseconds between looks for more */

static const char name_preset[] = "rounds";

struct spool {
    struct host *host;
    const char *name, *model;
    char *const *folders;
    bool reads, prints; /* -r, -l; neither: writes */
    bool again, merges, follows;
    uint64_t first, skip; /* first: 0 if -b is not given; skip: rounds still to be skipped */
    struct spool_writer log;
    struct merged_log merged;
    struct request_index requests; /* with -y; its log NULL: none */
    struct spool_reader reader;
};

static const struct option options_known[] = {
    { 'a', NULL, NULL, "drop rounds up to the last one in the log (default: refuse them)",
      OPTION_FLAG(spool, again) },
    { 'b', "first", NULL, "with -r: number of the first round to read (default 1)",
      OPTION_WHOLE(spool, first, 1, RECORD_MOST - 1) },
    { 'c', "rounds", NULL, "finish a file after so many rounds, 1 or more (default 100000)",
      OPTION_WHOLE(spool, log.every, 1, RECORD_MOST) },
    { 'f', NULL, NULL, "with -r: wait for more rounds at the end (default: end there)",
      OPTION_FLAG(spool, follows) },
    { 'l', NULL, NULL, "print the number of the last round in the log, 0 if there is none",
      OPTION_FLAG(spool, prints) },
    { 'm', "model", NULL, "file of a model; with -r the rounds that it has learnt are skipped "
                          "(default: none)", OPTION_TEXT(spool, model) },
    { 'n', "name", NULL, "name of the log (default rounds; with -r every log of the folder)",
      OPTION_TEXT(spool, name) },
    { 'r', NULL, NULL, "read the rounds of the folders as one stream", OPTION_FLAG(spool, reads) },
    { 't', "seconds", NULL, "finish a file after so many seconds, 1 or more (default: no limit)",
      OPTION_WHOLE(spool, log.seconds, 1, 1000000) },
    { 'u', NULL, NULL, "drop rounds whose request is in the log, and number the others anew "
                       "(default: keep numbers)", OPTION_FLAG(spool, merges) },
    { 'y', NULL, NULL, "sync rounds to the disk before they are passed on, and give a request that "
                       "comes again the round that is stored (default: write every round)",
      OPTION_FLAG(spool, log.syncs) },
    { 0 },
};

/* Do the options go together, and with the operands? */
static int check(const struct spool *my, const struct options *options)
{
    const bool reads = my->reads, writes = !my->reads && !my->prints;
    struct fault *fault = options->fault;
    if (my->reads && my->prints)
        return fault_usage(fault, "-l and -r exclude each other");
    if (my->name && !spool_name_valid(my->name))
        return fault_usage(fault, "-n wants a name of 1 to %d bytes, with no slash, and no dot at "
                           "its start, not '%.40s'", SPOOL_NAME, my->name);
    if (!*my->folders)
        return fault_usage(fault, "no folder named");
    if (!reads && my->folders[1])
        return fault_usage(fault, "give one folder, without '%.40s' (only -r reads several)",
                           my->folders[1]);
    if (!reads && (my->follows || my->model || my->first > 0))
        return fault_usage(fault, "-b, -f and -m need -r, which reads rounds");
    if (!writes && (my->again || my->merges || my->log.syncs || my->log.seconds || my->log.every))
        return fault_usage(fault, "-a, -c, -t, -u and -y are for writing, and exclude -%c",
                           reads ? 'r' : 'l');
    if (my->again && my->merges)
        return fault_usage(fault, "-a and -u exclude each other: -a goes by the numbers of rounds, "
                           "and -u gives new numbers");
    return 0;
}

static int parse(void *self, struct options *options, struct host *host)
{
    struct spool *my = self;
    my->host = host;
    my->log.lock_fd = -1;
    int letter = options_read(options);
    my->folders = options_operands(options);
    host->kind = my->reads ? SOURCE : my->prints ? WHOLE : FILTER;
    host->saves = host->kind == FILTER;
    if (my->merges && host->served)
        return fault_usage(options->fault, "-u would change the number of a round after its order "
                           "was drawn by that number: use -u to merge logs later");
    return letter < 0 ? letter : check(my, options);
}

/* ---- writing ---- */

static int commit(void *self, struct fault *fault)
{
    return spool_writer_commit(&((struct spool *)self)->log, fault);
}

static void warn_of(void *to, const char *text)
{
    warn(((const struct spool *)to)->host, "spool", "%s", text);
}

static int open_log(struct spool *my)
{
    struct spool_salvaged salvaged;
    my->log.folder = my->folders[0];
    my->log.name = my->name ? my->name : name_preset;
    my->log.every = my->log.every ? my->log.every : EVERY;
    if (spool_writer_open(&my->log, my->host->watch, &salvaged, my->host->fault) < 0)
        return -1;
    if (*salvaged.file.name)
        warn(my->host, "spool", "%s: %s was left open at round %" PRIu64 ": %" PRIu64 " rounds "
             "kept, %" PRIu64 " bytes lost", my->log.folder, my->log.name, salvaged.file.first,
             salvaged.rounds, salvaged.lost);
    if (my->host->last) {
        my->host->out->before = commit;
        my->host->out->self = my;
    }
    if (my->merges)
        return merged_log_open(&my->merged, my->log.folder, my->log.name, my->host->fault);
    if (!my->log.syncs)
        return 0;
    my->requests = (struct request_index){ .log = &my->log, .warn = warn_of, .to = my };
    return request_index_open(&my->requests, my->host->watch, my->host->fault);
}

/* Is the round's request in the log? Then the round becomes the one that is stored. */
static enum request_found find_request(struct spool *my, struct round *round)
{
    return my->requests.log ? request_index_find(&my->requests, round, my->host->fault)
                            : REQUEST_NEW;
}

static int store(struct spool *my, struct round *round)
{
    struct fault *fault = my->host->fault;
    if (round->t <= my->log.last)
        return fault_data(fault, "the log in %s has rounds up to %" PRIu64 " already: give new "
                          "rounds higher numbers (-b), or skip old rounds with spool -a",
                          my->log.folder, my->log.last);
    return my->requests.log ? request_index_put(&my->requests, round, fault)
                            : spool_writer_put(&my->log, round->record, round->t, NULL, fault);
}

static enum outcome log_round(struct spool *my, struct round *round)
{
    struct fault *fault = my->host->fault;
    enum entered entered = my->merges ? merged_log_number(&my->merged, round, fault) : ENTERED_NEW;
    if (entered == ENTERED_FAULT)
        return FAIL;
    if (entered == ENTERED_BEFORE || (round->t <= my->log.last && my->again))
        return DROP;
    enum request_found found = find_request(my, round);
    if (found == REQUEST_FAULT || (found == REQUEST_NEW && store(my, round) < 0) ||
        (!my->host->last && commit(my, fault) < 0))
        return FAIL;
    return PASS;
}

/* ---- reading ---- */

static int open_reader(struct spool *my)
{
    struct fault *fault = my->host->fault;
    my->reader = (struct spool_reader){ .folders = my->folders, .name = my->name,
                                        .first = my->first, .follows = my->follows };
    if (spool_reader_open(&my->reader, fault) < 0 ||
        (my->model && model_file_rounds(my->model, my->host->watch, &my->skip, fault) < 0))
        return -1;
    if (my->model && my->reader.count > 1)
        return fault_other(fault, "-m counts the rounds of one log, but there are %zu logs: choose "
                           "one with -n", my->reader.count);
    return 0;
}

static enum outcome next_round(struct spool *my, struct round *round)
{
    struct fault *fault = my->host->fault;
    int got;
    while ((got = spool_reader_next(&my->reader, round->record, fault)) == 0 && my->follows)
        if (watch_readable(my->host->watch, -1, POLL, fault) < 0)
            return FAIL;
    if (got <= 0)
        return got < 0 ? FAIL : DONE;
    if (my->skip == 0)
        return PASS;
    my->skip--;
    return DROP;
}

static enum outcome print_last(struct spool *my, struct round *round)
{
    struct fault *fault = my->host->fault;
    uint64_t last;
    int got = spool_reader_last(my->folders[0], my->name ? my->name : name_preset, round->record,
                                &last, fault);
    return got < 0 || writer_text(my->host->out, fault, "%" PRIu64 "\n", last) < 0 ? FAIL : DONE;
}

/* Of all logs of the folder. */
static int last(const void *self, uint64_t *t)
{
    const struct spool *my = self;
    return spool_last(my->folders[0], NULL, t, my->host->fault);
}

static int open_spool(void *self)
{
    struct spool *my = self;
    return my->reads ? open_reader(my) : my->prints ? 0 : open_log(my);
}

static enum outcome each(void *self, struct round *round)
{
    struct spool *my = self;
    return my->reads    ? next_round(my, round)
           : my->prints ? print_last(my, round)
                        : log_round(my, round);
}

/* The log is whole before the end record is written. */
static int end_spool(void *self)
{
    struct spool *my = self;
    if (my->skip > 0)
        return fault_other(my->host->fault, "model %s has learnt %" PRIu64 " rounds more than the "
                           "log has", my->model, my->skip);
    return spool_writer_cut(&my->log, my->host->fault);
}

/* Whatever ended the rounds, those of the open file are whole. */
static int close_spool(void *self, enum ended ended)
{
    struct spool *my = self;
    struct fault cutting = { FAULT_NONE, "" };
    (void)ended;
    if (spool_writer_cut(&my->log, &cutting) < 0 && cutting.kind != FAULT_NONE)
        fault_also(my->host->fault, &cutting);
    request_index_close(&my->requests);
    spool_writer_close(&my->log);
    spool_reader_close(&my->reader);
    merged_log_close(&my->merged);
    return my->host->fault->kind == FAULT_NONE ? 0 : -1;
}

const struct filter spool = {
    .name = "spool",
    .usage = "[-aflruy] [-b first] [-c rounds] [-m model] [-n name] [-t seconds] folder ...",
    .line = "keeps rounds in a folder, and reads them back",
    .options = options_known,
    .operand = { .value = "folder",
                 .text = "folder of the log, which is made if it is missing; with -r one or more" },
    .size = sizeof(struct spool),
    .kind = FILTER,
    .parse = parse,
    .open = open_spool,
    .last = last,
    .each = each,
    .end = end_spool,
    .close = close_spool,
};
