/* update: learns from the feedback of rounds, and sends its weights back through the ring. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "learn/large.h"
#include "learn/learner_model.h"
#include "learn/learner_round.h"
#include "run/checkpoint.h"
#include "run/filter.h"
#include "run/ring_fifo.h"
#include "run/setting_option.h"
#include "say.h"
#include "stream/model_file.h"
#include "update_options.h"

struct update {
    struct host *host;
    const struct learner *learner;
    struct settings settings;
    const char *model, *ring_path, *steps;
    bool anew, unmasked;  /* replace the model, not continue it; allow labels beside an order */
    struct checkpoint every;
    bool unsaved;  /* saving failed */
    uint64_t most; /* weights; 0: preset */
    struct model_file file;
    struct ring *ring;
    struct state state;
    struct model outgoing;
    uint64_t rounds; /* of this run */
    int looked;      /* rounds that look_for_large has seen */
};

static int parse_option(struct update *my, const struct options *options)
{
    int found;
    switch (options->letter) {
    case 'P':
        my->host->progress->asked = true;
        return 0;
    case 'X':
        my->unmasked = true;
        return 0;
    case 'a':
        found = options_find(options, "learner", options->value, update_learner);
        my->learner = found < 0 ? NULL : learners[found];
        return found;
    case 'c':
        return checkpoint_option(&my->every, options);
    case 'd':
        return options_whole(options, 1, ROUND_DIM, &my->most);
    case 'f':
        my->ring_path = options->value;
        return 0;
    case 'l':
        return options_whole(options, 1, RECORD_MOST, &my->file.keep);
    case 'm':
        my->model = options->value;
        return 0;
    case 'n':
        my->anew = true;
        return 0;
    case 'x':
        my->steps = options->value;
        return 0;
    default:
        return setting_option(&my->settings, options);
    }
}

static bool rings_on_stdout(const struct update *my)
{
    return my->ring_path && strcmp(my->ring_path, "-") == 0;
}

static int parse(void *self, struct options *options, struct host *host)
{
    struct update *my = self;
    int letter;
    my->host = host;
    host->saves = true;
    my->file.lock_fd = -1;
    while ((letter = options_next(options)) > 0)
        if (parse_option(my, options) < 0)
            return -1;
    if (letter < 0 || options_no_operands(options) < 0)
        return letter < 0 ? letter : -1;
    if (!my->learner)
        my->learner = learner_usual;
    if ((checkpoint_any(&my->every) || my->file.keep) && !my->model)
        return fault_usage(options->fault, "-%c needs -m: it saves into the model file",
                           checkpoint_any(&my->every) ? 'c' : 'l');
    if (rings_on_stdout(my) && !my->model)
        return fault_usage(options->fault, "-f - needs -m: standard output carries the ring");
    if (my->anew && !my->model)
        return fault_usage(options->fault, "-n needs -m: it replaces the model file");
    if (learner_start(&my->state, my->learner, &my->settings, (size_t)my->most, options->fault) < 0)
        return -1;
    return learner_make(&my->state, my->steps, options->fault);
}

static enum kind kind(const void *self)
{
    (void)self;
    return SINK;
}

/* Continues the model of the file, if it exists, and reports so. */
static int load(struct update *my)
{
    struct fault line = { FAULT_NONE, "" };
    int got = learner_resume(&my->state, my->model, my->host->watch, my->host->fault);
    (void)fault_other(&line, "resuming from round %" PRIu64 " of %s", my->state.rounds, my->model);
    if (got > 0)
        warn(my->host, "update", line.text);
    return got;
}

/* Warns once of raw features that should be scaled, if one of the first rounds has them. */
static void look_for_large(struct update *my, const struct round *round)
{
    if (my->steps || my->learner->made || my->looked == 10)
        return;
    struct fault line = { FAULT_NONE, "" };
    my->looked++;
    if (!large_features(round, &line))
        return;
    my->looked = 10;
    warn(my->host, "update", line.text);
}

static int publish(struct update *my)
{
    struct fault *fault = my->host->fault;
    if (!my->ring)
        return 0;
    enum publishing how = my->ring->lasting ? PUBLISH_SHARED
                          : my->rounds == 0 ? PUBLISH_WHOLE
                                            : PUBLISH_CHANGES;
    if (learner_publish(&my->state, &my->outgoing, how, fault) < 0)
        return -1;
    return my->ring->put(my->ring, &my->outgoing, fault);
}

static int open_update(void *self)
{
    struct update *my = self;
    struct fault *fault = my->host->fault;
    if ((!my->model || rings_on_stdout(my)) && !my->host->to && isatty(STDOUT_FILENO))
        return fault_usage(fault, "standard output is a terminal: %s", my->model
                           ? "-f - is for a program that carries the ring to another machine"
                           : "use -m model, or a file");
    my->state.work.watch = my->host->watch;
    if (my->model && model_file_open(&my->file, my->model, fault) < 0)
        return -1;
    if (my->model)
        my->host->watch->out = NULL; /* nothing is written there, so its reader may go */
    if (my->host->ring)
        my->ring = ring_local_update(my->host->ring);
    else if (my->ring_path)
        my->ring = ring_fifo_update(my->ring_path, my->host->in, my->host->watch, fault);
    if (my->ring_path && !my->ring)
        return -1;
    my->host->once = my->ring_path != NULL;
    if (my->model && !my->anew && load(my) < 0)
        return -1;
    return publish(my);
}

static int save(struct update *my, struct fault *fault)
{
    if (learner_save(&my->state, &my->outgoing, fault) < 0)
        return -1;
    record_want_crc(&my->outgoing.record);
    if (my->model)
        return model_file_save(&my->file, &my->outgoing, fault);
    return writer_record(my->host->out, &my->outgoing.record, fault) < 0
               ? -1 : writer_end(my->host->out, 1, fault);
}

static enum step step(void *self, struct round *round)
{
    struct update *my = self;
    struct fault *fault = my->host->fault;
    if ((!my->unmasked && feedback_masked(round, fault) < 0) ||
        learner_learn(&my->state, round, fault) < 0)
        return FAIL;
    look_for_large(my, round);
    my->rounds++;
    my->unsaved = checkpoint_due(&my->every, my->state.rounds) && save(my, fault) < 0;
    return my->unsaved || publish(my) < 0 ? FAIL : DROP;
}

static enum step refuse_model(void *self, struct record *record)
{
    struct update *my = self;
    (void)record;
    (void)fault_data(my->host->fault, "a model in the stream: update learns from rounds; to "
                     "continue a model, use -m");
    return FAIL;
}

/* Saves what was learnt before the end, whatever ended the run. */
static void finish(struct update *my, enum ended ended)
{
    struct fault *fault = my->host->fault, saving = { FAULT_NONE, "" };
    if (ended == CLEAN && my->rounds == 0)
        (void)fault_other(fault, "<stdin>: no rounds");
    my->host->watch->stop = -1; /* the signal must not stop the saving */
    if (!my->unsaved && my->rounds > 0 && save(my, &saving) < 0)
        fault_also(fault, &saving);
    else if (my->ring && (ended == CLEAN || ended == CUT))
        (void)my->ring->end(my->ring, fault);
}

static int close_update(void *self, enum ended ended)
{
    struct update *my = self;
    finish(my, ended);
    if (my->ring)
        my->ring->close(my->ring);
    model_file_close(&my->file);
    learner_close(&my->state);
    return my->host->fault->kind == FAULT_NONE ? 0 : -1;
}

const struct filter update = {
    .name = "update",
    .usage = "[-HKPXnop] [-C tradeoff] [-D delta] [-E epsilon] [-F power] [-G gain] [-L grade] "
             "[-M margin] [-N size] [-R rho] [-S width] [-T horizon | -e eta] [-U radius] "
             "[-a learner] [-c every] [-d dim] [-f ring] [-k cutoff] [-l models] [-m model] "
             "[-s seed] [-x steps]",
    .line = "learns from the feedback",
    .options = update_options,
    .size = sizeof(struct update),
    .parse = parse,
    .kind = kind,
    .open = open_update,
    .step = step,
    .model = refuse_model,
    .close = close_update,
};
