/* add-models: adds up the models that shares of one log have given. */
#include <stdlib.h>
#include <unistd.h>

#include "learn/learner_model.h"
#include "learn/model_sum.h"
#include "learners/learners.h"
#include "run/filter.h"
#include "stream/reader.h"
#include "stream/model_file.h"

struct add_models {
    struct host *host;
    char *const *files;
    struct model_sum sum;
    struct model model;
};

static int parse(void *self, struct options *options, struct host *host)
{
    struct add_models *my = self;
    int letter = options_next(options);
    my->host = host;
    my->files = options_operands(options);
    if (letter == OPTIONS_END && !*my->files)
        return fault_usage(options->fault, "no model named: name that of each share");
    return letter;
}

static int open_sum(void *self)
{
    struct add_models *my = self;
    my->sum.learners = learners;
    if (!my->host->to && isatty(STDOUT_FILENO))
        return fault_usage(my->host->fault, "standard output is a terminal, and a model is binary: "
                           "send it to a file");
    return 0;
}

static int add_file(struct add_models *my, const char *file)
{
    struct mapped mapped;
    struct fault *fault = my->host->fault;
    int got = model_file_load(file, my->host->watch, &mapped, &my->model, fault);
    if (got == 0)
        got = fault_other(fault, "%s: no such file", file);
    if (got > 0 && model_sum_add(&my->sum, &my->model, fault) < 0) {
        fault_place(fault, "model %s: ", file);
        got = -1;
    }
    mapped_close(&mapped);
    return got < 0 ? -1 : 0;
}

/* All files once, then the model once and whole. */
static enum outcome each(void *self, struct round *round)
{
    struct add_models *my = self;
    struct fault *fault = my->host->fault;
    struct writer *out = my->host->out;
    (void)round;
    for (char *const *file = my->files; *file; file++)
        if (add_file(my, *file) < 0) return FAIL;
    if (model_sum_end(&my->sum, fault) < 0 || learner_save(&my->sum.state, &my->model, fault) < 0)
        return FAIL;
    record_want_crc(&my->model.record);
    if (writer_record(out, &my->model.record, fault) < 0 || writer_end(out, 1, fault) < 0)
        return FAIL;
    return DONE;
}

static int close_sum(void *self, enum ended ended)
{
    struct add_models *my = self;
    (void)ended;
    model_sum_close(&my->sum);
    return 0;
}

const struct filter add_models = {
    .name = "add-models",
    .usage = "model ...",
    .line = "adds up the models of shares of a log",
    .operand = { .value = "model", .text = "file of a model that update made of one share" },
    .size = sizeof(struct add_models),
    .kind = WHOLE,
    .parse = parse,
    .open = open_sum,
    .each = each,
    .close = close_sum,
};
