/* svm2bin: SVM-light text to rounds. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"
#include "base/text.h"
#include "feature/feature_names.h"
#include "run/filter.h"
#include "say.h"
#include "text/svm.h"
#include "text/svm_advice.h"

enum { MANY = 1000 }; /* documents of a query, without a qid */

struct svm2bin {
    struct host *host;
    struct svm_options options;
    char *const *files;
    bool times; /* rounds record when they came */
    bool nameless;
    uint64_t dim;
    struct svm svm;
    struct svm_share share;   /* of the one file; shares 0: all of all files */
    uint64_t first, t; /* the number of the first round; of the next one */
    uint64_t skipped;  /* queries with an error */
    const char *names_path;
    struct feature_names names;
    const struct svm_advice *advice; /* that was given last */
};

static const struct option options_known[] = {
    { '0', NULL, NULL, "indices in the text start at 0 (default: at 1)",
      OPTION_FLAG(svm2bin, options.from_zero) },
    { 'C', NULL, NULL, "drop the documents' names (default: keep those of a query where each line "
                       "has one in its comment, and no two are equal)",
      OPTION_FLAG(svm2bin, nameless) },
    OPTION_PROGRESS,
    { 'Q', NULL, NULL, "qids have %XX already, as in rounds (default: % is a byte as others are)",
      OPTION_FLAG(svm2bin, options.coded) },
    { 'b', "first", NULL, "number of the first round, 1 to 9007199254740991 (default 1)",
      OPTION_WHOLE(svm2bin, first, 1, RECORD_MOST - 1) },
    { 'd', "dim", NULL, "number of features, 0 to 2147483648; 0: a fixed list of items (default: "
                        "each query's largest index)", OPTION_WHOLE(svm2bin, dim, 0, ROUND_DIM) },
    { 'e', NULL, NULL, "the lines of a query are in the engine's order, first to last (default: in "
                       "none)", OPTION_FLAG(svm2bin, options.ranked) },
    { 'i', "i/n", NULL, "convert only the i-th of n shares of the file (default: all files)",
      OPTION_OWN },
    { 'k', NULL, NULL, "skip a query with an error, warn, and go on (default: stop there)",
      OPTION_FLAG(svm2bin, options.skips) },
    { 'l', NULL, NULL, "a blank line ends a query, which is written at once (default: the next "
                       "query does)", OPTION_FLAG(svm2bin, options.blank_ends) },
    { 'n', NULL, NULL, "scale each feature to [0,1] within its query (default: leave values as "
                       "they are)", OPTION_FLAG(svm2bin, options.scale) },
    { 't', NULL, NULL, "record when each query came, in milliseconds (default: do not)",
      OPTION_FLAG(svm2bin, times) },
    { 'u', NULL, NULL, "accept queries without labels (default: a missing label is an error)",
      OPTION_FLAG(svm2bin, options.unlabelled) },
    { 'y', "names", NULL, "file of names of features, one a line, by which rounds can be compared "
                          "with models (default: features have numbers)",
      OPTION_TEXT(svm2bin, names_path) },
    { 0 },
};

static int check_share(const struct svm2bin *my, const struct options *options)
{
    char *const *files = my->files;
    if (!my->share.shares)
        return 0;
    if (my->options.blank_ends)
        return fault_usage(options->fault, "-i and -l exclude each other: -i divides the text by "
                           "its qids");
    return *files && !files[1] && strcmp(*files, "-") != 0
               ? 0 : fault_usage(options->fault, "-i divides one file: name it");
}

static int parse(void *self, struct options *options, struct host *host)
{
    struct svm2bin *my = self;
    int letter;
    my->host = host;
    my->first = 1;
    while ((letter = options_next(options)) > 0)
        if (letter == 'i' && options_share(options, &my->share.number, &my->share.shares) < 0)
            return -1;
    if (letter < 0)
        return letter;
    my->options.names = my->options.whole_names = !my->nameless;
    my->options.widths = options->given['d'];
    my->options.dim = (size_t)my->dim;
    my->share.coded = my->options.coded;
    my->files = options_operands(options);
    my->t = my->first;
    return check_share(my, options);
}

static int open_text(void *self)
{
    struct svm2bin *my = self;
    if (!*my->files && isatty(STDIN_FILENO))
        return fault_usage(my->host->fault, "no file named, and standard input is a terminal");
    struct svm_share *share = &my->share;
    if (share->shares && svm_share_find(share, *my->files, my->host->watch, my->host->fault) < 0)
        return -1;
    if (my->names_path && feature_names_read(&my->names, my->names_path, my->host->watch,
                                             my->host->fault) < 0)
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
    warn(my->host, "svm2bin", "%s: no line has a qid, so all %zu documents are one query: write "
         "qid:NAME after each label; svm2bin(1) has a command for a file of their sizes",
         my->svm.lines.name, query->docs);
}

/* Says in a round which names its features have. */
static int add_names(struct svm2bin *my, struct round *round)
{
    if (!my->names_path)
        return 0;
    if (round->dim > my->names.features)
        return fault_data(my->host->fault, "%s: line %" PRIu64 ": the query that ends here has %zu "
                          "features, but %s has names of %zu", my->svm.lines.name,
                          lines_number(&my->svm.lines), round->dim,
                          my->names_path, my->names.features);
    return round_set_text(round, KEY_NAMED, my->names.sum, my->host->fault);
}

/* Reads the next query into a round: 1, 0 at the end of the text, or a fault. */
static int read_query(struct svm2bin *my, struct round *round)
{
    struct svm_query query;
    struct fault *fault = my->host->fault;
    int found = svm_next(&my->svm, &query, fault);
    if (found <= 0)
        return found;
    if (my->t == RECORD_MOST)
        return fault_other(fault, "%s: no number is left for another round: use a smaller -b",
                           my->svm.lines.name);
    check_qid(my, &query);
    if (svm_round(&my->svm, &query, my->t, round, fault) < 0 || add_names(my, round) < 0 ||
        (my->times && round_set(round, KEY_TIME, moment_stamp(), fault) < 0))
        return -1;
    return 1;
}

/* Says after a fault in a line what to do about it, where that was not said before. */
static void advise(struct svm2bin *my)
{
    const struct lines *lines = &my->svm.lines;
    struct fault *fault = my->host->fault;
    const struct svm_advice *advice =
        fault->kind == FAULT_DATA ? svm_advice_find(lines->text, lines->bytes) : NULL;
    if (advice && advice != my->advice)
        svm_advice_add(advice, lines, fault);
    my->advice = advice ? advice : my->advice;
}

/* After a fault in a query, with -k: warns, and skips the query. 0 or a fault. */
static int skip(struct svm2bin *my)
{
    struct fault *fault = my->host->fault, why = *fault;
    if (!my->options.skips || fault->kind != FAULT_DATA) return -1;
    *fault = (struct fault){ FAULT_NONE, "" };
    if (my->skipped++ < WARNINGS)
        warn(my->host, "svm2bin", "%s", why.text);
    return svm_skip(&my->svm, fault);
}

/* The text is at its end. */
static enum outcome end_text(struct svm2bin *my)
{
    uint64_t rounds = my->t - my->first;
    if (my->svm.equal)
        warn(my->host, "svm2bin", "queries whose names are left out, because two documents have "
             "the same: %" PRIu64, my->svm.equal);
    if (my->svm.renamed)
        warn(my->host, "svm2bin", "comments docid:851 and doc_id: 851 name document 851: models of "
             "memory that learnt docid:851 do not know it");
    if (rounds == 0 && my->skipped == 0 && my->share.shares)
        return DONE;
    if (rounds == 0 && my->skipped == 0)
        return fault_data(my->host->fault, "%s: the text has no documents", my->svm.lines.name);
    if (rounds == 0)
        return fault_data(my->host->fault, "%s: each of the %" PRIu64 " queries has an error",
                          my->svm.lines.name, my->skipped);
    if (my->skipped)
        warn(my->host, "svm2bin", "skipped %" PRIu64 " of %" PRIu64 " queries", my->skipped,
             my->skipped + rounds);
    return DONE;
}

static enum outcome each(void *self, struct round *round)
{
    struct svm2bin *my = self;
    int found;
    while ((found = read_query(my, round)) < 0) {
        advise(my);
        if (skip(my) < 0) return FAIL;
    }
    if (found == 0)
        return end_text(my);
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
    feature_names_close(&my->names);
    return 0;
}

const struct filter svm2bin = {
    .name = "svm2bin",
    .usage = "[-0CPQeklntu] [-b first] [-d dim] [-i i/n] [-y names] [file ...]",
    .line = "converts SVM-light text to rounds",
    .options = options_known,
    .operand = { .value = "file", .text = "file of SVM-light text (default: standard input)" },
    .size = sizeof(struct svm2bin),
    .kind = SOURCE,
    .parse = parse,
    .open = open_text,
    .each = each,
    .close = close_text,
};
