/* svm2bin: SVM-light text to rounds. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run/filter.h"
#include "say.h"
#include "serve/moment.h"
#include "text/svm.h"
#include "text/svm_round.h"
#include "text/svm_share.h"
#include "text/svm_skip.h"

enum { MANY = 1000 }; /* documents of a query, without a qid */

struct svm2bin {
    struct host *host;
    struct svm_options options;
    char *const *files;
    bool times; /* rounds record when they came */
    struct svm svm;
    struct svm_share share;   /* of the one file; shares 0: all of all files */
    uint64_t first, t; /* the number of the first round; of the next one */
    uint64_t skipped;  /* queries with an error */
};

static const struct option options_known[] = {
    { '0', NULL, NULL, "indices in the text start at 0 (default: at 1)" },
    { 'C', NULL, NULL, "drop the documents' names (default: keep those of a query where each line "
                       "has one in its comment, and no two are equal)" },
    OPTION_PROGRESS,
    { 'b', "first", NULL, "number of the first round, 1 to 9007199254740991 (default 1)" },
    { 'c', NULL, NULL, "keep the documents' names, which is the default" },
    { 'd', "dim", NULL, "number of features, 0 to 2147483648; 0: a fixed list of items (default: "
                        "each query's largest index)" },
    { 'i', "i/n", NULL, "convert only the i-th of n shares of the file (default: all files)" },
    { 'k', NULL, NULL, "skip a query with an error, warn, and go on (default: stop there)" },
    { 'l', NULL, NULL, "a blank line ends a query, which is written at once (default: the next "
                       "query does)" },
    { 'n', NULL, NULL, "scale each feature to [0,1] within its query (default: leave values as "
                       "they are)" },
    { 'p', "bits", NULL, "store features as whole numbers of 8 or 16 bits, rounded (default: as "
                         "they are)" },
    { 'q', "counts", NULL, "file with the number of documents of each query, one a line (default: "
                           "the text has qids)" },
    { 't', NULL, NULL, "record when each query came, in milliseconds (default: do not)" },
    { 'u', NULL, NULL, "accept queries without labels (default: a missing label is an error)" },
    { 0 },
};

static const struct option operand_known = {
    0, "file", NULL, "file of SVM-light text (default: standard input)"
};

/* -p */
static int parse_bits(struct svm2bin *my, const struct options *options)
{
    uint64_t bits;
    if (!record_number(options->value, 16, &bits) || (bits != 8 && bits != 16))
        return fault_usage(options->fault, "-p is 8 or 16 bits, not '%.40s'", options->value);
    my->options.bits = (unsigned)bits;
    return 0;
}

static int parse_option(struct svm2bin *my, const struct options *options)
{
    uint64_t dim;
    switch (options->letter) {
    case '0':
        my->options.from_zero = true;
        return 0;
    case 'P':
        my->host->progress->asked = true;
        return 0;
    case 'b':
        return options_whole(options, 1, RECORD_MOST - 1, &my->first);
    case 'C':
        my->options.names = false;
        return 0;
    case 'c': /* which once asked for names */
        return 0;
    case 'i':
        return options_share(options, &my->share.number, &my->share.shares);
    case 'k':
        my->options.skips = true;
        return 0;
    case 'l':
        my->options.blank_ends = true;
        return 0;
    case 'n':
        my->options.scale = true;
        return 0;
    case 'p':
        return parse_bits(my, options);
    case 'q':
        my->options.sizes = options->value;
        return 0;
    case 't':
        my->times = true;
        return 0;
    case 'u':
        my->options.unlabelled = true;
        return 0;
    default:
        if (options_whole(options, 0, ROUND_DIM, &dim) < 0)
            return -1;
        my->options.widths = true;
        my->options.dim = (size_t)dim;
        return 0;
    }
}

static int check_share(const struct svm2bin *my, const struct options *options)
{
    char *const *files = my->files;
    if (!my->share.shares)
        return 0;
    if (my->options.sizes || my->options.blank_ends)
        return fault_usage(options->fault, "-i divides text by its qids, and does not go with %s",
                           my->options.sizes ? "-q" : "-l");
    return *files && !files[1] && strcmp(*files, "-") != 0
               ? 0 : fault_usage(options->fault, "-i divides one file: name it");
}

static int parse(void *self, struct options *options, struct host *host)
{
    struct svm2bin *my = self;
    int letter;
    my->host = host;
    my->first = 1;
    my->options.names = my->options.whole_names = true;
    while ((letter = options_next(options)) > 0)
        if (parse_option(my, options) < 0)
            return -1;
    if (letter < 0)
        return letter;
    my->files = options_operands(options);
    my->t = my->first;
    if (my->options.sizes && strcmp(my->options.sizes, "-") == 0)
        return fault_usage(options->fault, "-q wants a file: standard input is for the text");
    if (my->options.sizes && my->options.blank_ends)
        return fault_usage(options->fault, "-q and -l both divide the text into queries: give one "
                           "of them");
    if (my->options.sizes && my->options.skips)
        return fault_usage(options->fault, "-k needs text with qids or -l, and does not go with "
                           "-q");
    return check_share(my, options);
}

static enum kind kind(const void *self)
{
    (void)self;
    return SOURCE;
}

static int open_text(void *self)
{
    struct svm2bin *my = self;
    if (!*my->files && isatty(STDIN_FILENO))
        return fault_usage(my->host->fault, "no file named, and standard input is a terminal");
    struct svm_share *share = &my->share;
    if (share->shares && svm_share_find(share, *my->files, my->host->watch, my->host->fault) < 0)
        return -1;
    svm_open(&my->svm, my->files, &my->options, my->host->watch);
    if (share->shares)
        lines_part(&my->svm.lines, share->from, share->to);
    return 0;
}

/* Text without qids is one query. That may be meant, but not where it is long. */
static void check_qid(struct svm2bin *my, const struct svm_query *query)
{
    if (query->qid || my->options.blank_ends || query->docs <= MANY)
        return;
    struct fault line = { FAULT_NONE, "" };
    (void)fault_other(&line, "%s: no line has a qid, so its %zu documents are one query: write "
                      "qid:NAME after each label, or give the sizes of queries (-q)",
                      my->svm.lines.name, query->docs);
    warn(my->host, "svm2bin", line.text);
}

/* Reads the next query into a round: 1, 0 at the end of the text, or a fault. */
static int read_query(struct svm2bin *my, struct round *round)
{
    struct svm_query query;
    struct fault *fault = my->host->fault;
    int got = svm_next(&my->svm, &query, fault);
    if (got <= 0)
        return got;
    if (my->t == RECORD_MOST)
        return fault_other(fault, "%s: no number is left for another round: use a smaller -b",
                           my->svm.lines.name);
    check_qid(my, &query);
    if (svm_round(&my->svm, &query, my->t, round, fault) < 0 ||
        (my->times && round_set_time(round, moment_stamp(), fault) < 0))
        return -1;
    return 1;
}

/* After a fault in a query, with -k: warns, and skips the query. 0 or a fault. */
static int skip(struct svm2bin *my)
{
    struct fault *fault = my->host->fault, why = *fault;
    if (!my->options.skips || fault->kind != FAULT_DATA)
        return -1;
    *fault = (struct fault){ FAULT_NONE, "" };
    if (my->skipped++ < WARNINGS)
        warn(my->host, "svm2bin", why.text);
    return svm_skip(&my->svm, fault);
}

/* The text is at its end. */
static enum outcome finish(struct svm2bin *my)
{
    char text[100];
    uint64_t rounds = my->t - my->first;
    if (rounds == 0 && my->skipped == 0 && my->share.shares)
        return DONE;
    if (rounds == 0 && my->skipped == 0)
        (void)fault_data(my->host->fault, "%s: the text has no documents", my->svm.lines.name);
    else if (rounds == 0)
        (void)fault_data(my->host->fault, "%s: each of the %" PRIu64 " queries has an error",
                         my->svm.lines.name, my->skipped);
    if (rounds == 0)
        return FAIL;
    snprintf(text, sizeof text, "skipped %" PRIu64 " of %" PRIu64 " queries", my->skipped,
             my->skipped + rounds);
    if (my->skipped)
        warn(my->host, "svm2bin", text);
    return DONE;
}

static enum outcome each(void *self, struct round *round)
{
    struct svm2bin *my = self;
    int got;
    while ((got = read_query(my, round)) < 0)
        if (skip(my) < 0)
            return FAIL;
    if (got == 0)
        return finish(my);
    my->t++;
    record_want_crc(round->record);
    return PASS;
}

static int close_text(void *self, enum ended ended)
{
    struct svm2bin *my = self;
    (void)ended;
    if (my->svm.lines.watch)
        svm_close(&my->svm);
    return 0;
}

const struct filter svm2bin = {
    .name = "svm2bin",
    .usage = "[-0CPcklntu] [-b first] [-d dim] [-i i/n] [-p bits] [-q counts] [file ...]",
    .line = "converts SVM-light text to rounds",
    .options = options_known,
    .operand = &operand_known,
    .size = sizeof(struct svm2bin),
    .parse = parse,
    .kind = kind,
    .open = open_text,
    .each = each,
    .close = close_text,
};
