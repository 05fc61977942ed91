/* weights2bin: weights as other tools have them, as text, to a model that scores. */
#include <unistd.h>

#include "learn/learner.h"
#include "learn/origin.h"
#include "learn/weights.h"
#include "model/model.h"
#include "run/filter.h"

struct weights2bin {
    struct host *host;
    char *const *files;
    uint64_t most;
    const char *steps;
    struct origin origin;
    struct weights weights;
    struct model model;
};

static const struct option options_known[] = {
    { 'd', "dim", NULL, "largest number of weights, 1 to 2147483648 (default 16777216)",
      OPTION_WHOLE(weights2bin, most, 1, ROUND_DIM) },
    { 'x', "steps", NULL, "the weights are for features that these steps make of raw ones, as "
                          "update -x (default: for features as they come)",
      OPTION_TEXT(weights2bin, steps) },
    { 0 },
};

static int parse(void *self, struct options *options, struct host *host)
{
    struct weights2bin *my = self;
    my->host = host;
    my->most = LEARNER_MOST;
    int letter = options_read(options);
    my->files = options_operands(options);
    if (letter == OPTIONS_END && my->files[0] && my->files[1])
        return fault_usage(options->fault, "more than one file is named: one file is one model");
    if (letter == OPTIONS_END && my->steps)
        return origin_apply(&my->origin, my->steps, true, options->fault);
    return letter;
}

static int open_text(void *self)
{
    struct weights2bin *my = self;
    struct fault *fault = my->host->fault;
    if (!*my->files && !my->host->from && isatty(STDIN_FILENO))
        return fault_usage(fault, "no file named, and standard input is a terminal");
    if (!my->host->to && isatty(STDOUT_FILENO))
        return fault_usage(fault, "standard output is a terminal, and a model is binary: send it "
                           "to a file");
    weights_open(&my->weights, my->files, (size_t)my->most, my->host->watch);
    return origin_open(&my->origin, my->host->watch, fault);
}

/* The text once and whole, then the model once and whole. */
static enum outcome each(void *self, struct round *round)
{
    struct weights2bin *my = self;
    struct fault *fault = my->host->fault;
    struct writer *out = my->host->out;
    (void)round;
    if (weights_read(&my->weights, fault) < 0 ||
        model_start(&my->model, LEARNER_FIXED, 0, my->weights.dim, fault) < 0 ||
        origin_publish(&my->origin, &my->model, false, fault) < 0 ||
        model_put_weights(&my->model, my->weights.w, fault) < 0)
        return FAIL;
    record_want_crc(&my->model.record);
    if (writer_record(out, &my->model.record, fault) < 0 || writer_end(out, 1, fault) < 0)
        return FAIL;
    return DONE;
}

static int close_text(void *self, enum ended ended)
{
    struct weights2bin *my = self;
    (void)ended;
    if (my->weights.lines.watch)
        weights_close(&my->weights);
    origin_close(&my->origin);
    return 0;
}

const struct filter weights2bin = {
    .name = "weights2bin",
    .usage = "[-d dim] [-x steps] [file]",
    .line = "converts weights from text to a model",
    .options = options_known,
    .operand = { .value = "file", .text = "file of weights as text (default: standard input)" },
    .size = sizeof(struct weights2bin),
    .kind = WHOLE,
    .parse = parse,
    .open = open_text,
    .each = each,
    .close = close_text,
};
