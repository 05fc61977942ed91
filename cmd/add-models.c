/* add-models: adds up the models that shares of one log have given. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "learn/learner_model.h"
#include "learners/learners.h"
#include "model/model_file.h"
#include "run/filter.h"

/* One model from those of shares of a log: as if one run had learnt all rounds. */
struct model_sum { /* all zero at first */
    bool begun; /* it has the first model     */
    struct state state; /* of all models so far */
};

/* The state of a model, under the model's own settings. To be closed in any case. */
static int load(struct state *state, const struct model *model, struct fault *fault)
{
    const struct learner *learner = learner_named(learners, model->learner);
    struct settings settings = { .path = { "" } };
    if (!learner || !learner->sums) {
        char able[200] = "";
        size_t used = 0;
        for (size_t i = 0; learners[i]; i++)
            if (learners[i]->sums && used < sizeof able)
                used += (size_t)snprintf(able + used, sizeof able - used, "%s%s", used ? ", " : "",
                                         learners[i]->name);
        return fault_data(fault, "models of %.40s do not add up: those of %s do", model->learner,
                          able);
    }
    size_t most = model->dim > learner->most ? model->dim : 0;
    return settings_load(&settings, model, fault) < 0 ||
                   learner_start(state, learner, &settings, most, fault) < 0 ||
                   learner_load(state, model, fault) < 0
               ? -1 : 0;
}

static int open_sums(struct state *state, struct fault *fault)
{
    return state->learner->sums(state->own, state, SUMS_OPEN, fault);
}

static int add(struct state *state, struct state *share, struct fault *fault)
{
    const struct learner *learner = state->learner;
    if (share->rounds >= RECORD_MOST - state->rounds)
        return fault_data(fault, "it has learnt %" PRIu64 " rounds, and those before it %" PRIu64
                          ": a model may have %" PRIu64 " in all", share->rounds, state->rounds,
                          RECORD_MOST - 1);
    if (learner != share->learner)
        return fault_data(fault, "it is a model of %s, but those before it are of %s",
                          share->learner->name, learner->name);
    if (settings_match(&state->settings, &share->settings, fault) < 0 ||
        origin_join(&state->origin, state->dim, &share->origin, share->dim, fault) < 0)
        return -1;

    size_t dim = state->dim > share->dim ? state->dim : share->dim; /* both reach as many */
    state->most = share->most = dim > state->most ? dim : state->most;
    if (learner_reach(state, dim, fault) < 0 || learner_reach(share, dim, fault) < 0 ||
        open_sums(share, fault) < 0 || learner->add(state->own, state, share, fault) < 0)
        return -1;
    state->rounds += share->rounds;
    if (share->settings.set[SETTING_PRIOR])
        state->settings = share->settings;
    return 0;
}

/* Adds a model, which may go afterwards. 0; or a fault: its learner's models do not add up, or its
 * settings, its features or its pairs are not such that it may be added to those before it. */
static int model_sum_add(struct model_sum *sum, const struct model *model, struct fault *fault)
{
    struct state share = { .learner = NULL };
    if (!sum->begun) {
        sum->begun = true;
        return load(&sum->state, model, fault) < 0 || open_sums(&sum->state, fault) < 0 ? -1 : 0;
    }
    int result = load(&share, model, fault) < 0 ? -1 : add(&sum->state, &share, fault);
    learner_close(&share);
    return result;
}

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
    struct state *sum = &my->sum.state;
    if (sum->learner->sums(sum->own, sum, SUMS_CLOSE, fault) < 0 ||
        learner_save(sum, &my->model, fault) < 0)
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
    learner_close(&my->sum.state);
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
