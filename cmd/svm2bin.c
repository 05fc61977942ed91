/* svm2bin: SVM-light text to rounds. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "run/filter.h"
#include "text/svm.h"

struct svm2bin {
    struct host *host;
    struct svm_options options;
    char *const *files;
    struct svm svm;
    uint64_t t;
};

static const struct option options_known[] = {
    { '0', NULL, NULL, "indices in the text start at 0 (default: at 1)" },
    OPTION_PROGRESS,
    { 'c', NULL, NULL, "keep the documents' names, from the comments (default: skip comments)" },
    { 'd', "dim", NULL, "number of features, 0 to 2147483648; 0: a fixed list of items (default: "
                        "each query's largest index)" },
    { 'n', NULL, NULL, "scale each feature to [0,1] within its query (default: leave values as "
                       "they are)" },
    { 'q', "counts", NULL, "file with the number of documents of each query, one a line (default: "
                           "the text has qids)" },
    { 'u', NULL, NULL, "accept queries without labels (default: a missing label is an error)" },
    { 0 },
};

static const struct option operand_known = {
    0, "file", NULL, "file of SVM-light text (default: standard input)"
};

static int parse(void *self, struct options *options, struct host *host)
{
    struct svm2bin *my = self;
    int letter;
    uint64_t dim;
    my->host = host;
    while ((letter = options_next(options)) > 0) {
        if (letter == '0')
            my->options.from_zero = true;
        else if (letter == 'P')
            host->progress->asked = true;
        else if (letter == 'c')
            my->options.names = true;
        else if (letter == 'n')
            my->options.scale = true;
        else if (letter == 'q')
            my->options.sizes = options->value;
        else if (letter == 'u')
            my->options.unlabelled = true;
        else if (options_whole(options, 0, ROUND_DIM, &dim) < 0)
            return -1;
        else {
            my->options.widths = true;
            my->options.dim = (size_t)dim;
        }
    }
    my->files = options_operands(options);
    if (letter == OPTIONS_END && my->options.sizes && strcmp(my->options.sizes, "-") == 0)
        return fault_usage(options->fault, "-q wants a file: standard input is for the text");
    return letter;
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
    svm_open(&my->svm, my->files, &my->options, my->host->watch);
    return 0;
}

static int put_label(struct round *round, const struct svm_query *query, struct fault *fault)
{
    float *label = round_new_label(round, fault);
    if (label)
        memcpy(label, query->label, query->docs * sizeof *label);
    return label ? 0 : -1;
}

/* The features, and that -n scaled them. */
static int put_features(const struct svm2bin *my, struct round *round, const struct matrix *x,
                        struct fault *fault)
{
    bool made = my->options.scale && x->form != MATRIX_UNIT;
    if (round_new_features(round, x, fault) < 0)
        return -1;
    return made ? round_set_made(round, "scale", fault) : 0;
}

static enum step step(void *self, struct round *round)
{
    struct svm2bin *my = self;
    struct svm_query query;
    struct fault *fault = my->host->fault;
    struct record *record = round->record;
    int got = svm_next(&my->svm, &query, fault);
    if (got == 0 && my->t == 0)
        (void)fault_data(fault, "%s: the text has no documents",
                         my->svm.lines.name);
    if (got == 0 && my->t > 0)
        return DONE;
    if (got > 0 && query.x.form == MATRIX_UNIT && !query.label && query.docs > ROUND_BARE)
        (void)fault_data(fault, "%s: line %" PRIu64 ": the %zu documents before it have neither "
                         "features nor labels: at most %" PRIu64 " are allowed", my->svm.lines.name,
                         my->svm.lines.number, query.docs, ROUND_BARE);
    if (got <= 0 || fault->kind != FAULT_NONE ||
        round_start(round, ++my->t, query.qid, query.docs, query.x.dim, fault) < 0 ||
        (query.label && put_label(round, &query, fault) < 0) ||
        (query.names && record_put(record, record->columns, "name", COLUMN_U1, query.name_bytes,
                                   query.names, fault) < 0) ||
        put_features(my, round, &query.x, fault) < 0)
        return FAIL;
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
    .usage = "[-0Pcnu] [-d dim] [-q counts] [file ...]",
    .line = "converts SVM-light text to rounds",
    .options = options_known,
    .operand = &operand_known,
    .size = sizeof(struct svm2bin),
    .parse = parse,
    .kind = kind,
    .open = open_text,
    .step = step,
    .close = close_text,
};
