/* update: learns from the feedback of rounds, and sends its weights back through the ring. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "learn/learner.h"
#include "run/filter.h"
#include "run/ring_fifo.h"
#include "stream/model_file.h"

struct update {
    struct host *host;
    const struct learner *learner;
    struct settings settings;
    const char *model, *ring_path;
    uint64_t every; /* rounds between checkpoints; 0: none        */
    uint64_t most;  /* weights; 0: the learner's own limit        */
    struct model_file file;
    struct ring *ring;
    struct state state;
    struct model outgoing;
    uint64_t rounds; /* of this run */
};

static int parse_learner(struct update *my, const struct options *options)
{
    char names[200] = "";
    my->learner = learner_find(options->value);
    for (size_t i = 0; learners[i]; i++) {
        strncat(names, " ", sizeof names - strlen(names) - 1);
        strncat(names, learners[i]->name, sizeof names - strlen(names) - 1);
    }
    return my->learner ? 0 : fault_usage(options->fault, "no learner '%.40s'; there are:%s",
                                         options->value, names);
}

static int parse_setting(struct update *my, const struct options *options)
{
    size_t i = 0;
    uint64_t whole;
    while (settings_known[i].letter != options->letter)
        i++;
    const struct setting *setting = &settings_known[i];
    double *value = &my->settings.value[i];
    my->settings.set[i] = true;
    switch (setting->form) {
    case FORM_POSITIVE:
        return options_positive(options, value);
    case FORM_WHOLE:
        if (options_whole(options, setting->least, setting->most, &whole) < 0)
            return -1;
        *value = (double)whole;
        return 0;
    case FORM_WORD:
        *value = options_word(options, setting->words) + 1;
        return *value > 0 ? 0 : -1;
    default:
        *value = 1;
        return 0;
    }
}

static int parse_option(struct update *my, const struct options *options)
{
    switch (options->letter) {
    case 'P':
        my->host->progress->asked = true;
        return 0;
    case 'a':
        return parse_learner(my, options);
    case 'c':
        return options_whole(options, 1, RECORD_MOST, &my->every);
    case 'd':
        return options_whole(options, 1, ROUND_DIM, &my->most);
    case 'f':
        my->ring_path = options->value;
        return 0;
    case 'm':
        my->model = options->value;
        return 0;
    default:
        return parse_setting(my, options);
    }
}

static int parse(void *self, struct options *options, struct host *host)
{
    struct update *my = self;
    int letter;
    my->host = host;
    my->file.lock_fd = -1;
    while ((letter = options_next(options, "C:E:G:L:N:PS:T:U:a:c:d:e:f:k:m:ops:")) > 0)
        if (parse_option(my, options) < 0)
            return -1;
    if (letter < 0 || options_no_operands(options) < 0)
        return letter < 0 ? letter : -1;
    if (!my->learner)
        return fault_usage(options->fault, "no learner: use -a kl, for instance");
    if (my->every && !my->model)
        return fault_usage(options->fault, "-c needs -m: it saves into the model file");
    return learner_start(&my->state, my->learner, &my->settings, (size_t)my->most, options->fault);
}

static enum kind kind(const void *self)
{
    (void)self;
    return SINK;
}

static int load(struct update *my)
{
    struct reader reader;
    struct model *model = malloc(sizeof *model);
    struct fault *fault = my->host->fault;
    if (!model)
        return fault_memory(fault, sizeof *model);
    int got = model_file_load(my->model, my->host->watch, &reader, model, fault);
    if (got > 0 && learner_load(&my->state, model, fault) < 0) {
        fault_place(fault, "model %s: ", my->model);
        got = -1;
    }
    reader_close(&reader);
    free(model);
    return got;
}

static int publish(struct update *my)
{
    struct fault *fault = my->host->fault;
    if (!my->ring)
        return 0;
    bool whole = my->rounds == 0 || my->ring->lasting;
    if ((whole ? learner_publish(&my->state, &my->outgoing, fault)
               : learner_publish_changes(&my->state, &my->outgoing, fault)) < 0)
        return -1;
    return my->ring->put(my->ring, &my->outgoing, fault);
}

static int open_update(void *self)
{
    struct update *my = self;
    struct fault *fault = my->host->fault;
    if (!my->model && !my->host->to && isatty(STDOUT_FILENO))
        return fault_usage(fault, "standard output is a terminal, and the model is binary: "
                           "use -m model, or send it to a file");
    if (my->model && model_file_open(&my->file, my->model, fault) < 0)
        return -1;
    if (my->model)
        my->host->watch->out = NULL; /* nothing is written there, so its reader may go */
    if (my->host->ring)
        my->ring = ring_local_update(my->host->ring);
    else if (my->ring_path) {
        my->ring = ring_fifo_update(my->ring_path, my->host->in, my->host->watch, fault);
        if (!my->ring)
            return -1;
    }
    if (my->model && load(my) < 0)
        return -1;
    return publish(my);
}

static int save(struct update *my, struct fault *fault)
{
    if (learner_save(&my->state, &my->outgoing, fault) < 0)
        return -1;
    if (my->model)
        return model_file_save(&my->file, &my->outgoing, fault);
    if (writer_record(my->host->out, &my->outgoing.record, fault) < 0)
        return -1;
    return writer_end(my->host->out, 1, fault);
}

static enum step step(void *self, struct round *round)
{
    struct update *my = self;
    if (learner_learn(&my->state, round, my->host->fault) < 0)
        return FAIL;
    my->rounds++;
    if (my->every && my->state.rounds % my->every == 0 &&
        save(my, my->host->fault) < 0)
        return FAIL;
    return publish(my) < 0 ? FAIL : DROP;
}

static enum step refuse_model(void *self, struct record *record)
{
    struct update *my = self;
    (void)record;
    (void)fault_data(my->host->fault, "a model in the stream: update learns from rounds; to "
                     "continue a model, use -m");
    return FAIL;
}

/* Saves what was learnt from whole rounds, also after a signal or a stream that is cut short. */
static void finish(struct update *my, enum ended ended)
{
    struct fault *fault = my->host->fault, saving = { FAULT_NONE, "" };
    if (ended == CLEAN && my->rounds == 0)
        (void)fault_other(fault, "<stdin>: no rounds");
    my->host->watch->stop = -1; /* the signal must not stop the saving */
    if (ended != FAILED && my->rounds > 0 && save(my, &saving) < 0)
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
    .usage = "-a learner [-Pop] [-C tradeoff] [-E epsilon] [-G gain] [-L grade] [-N size] "
             "[-S width] [-T horizon | -e eta] [-U radius] [-c rounds] [-d dim] [-f ring] "
             "[-k cutoff] [-m model] [-s seed]",
    .line = "learns from the feedback; a model at the end, and round the ring",
    .size = sizeof(struct update),
    .parse = parse,
    .kind = kind,
    .open = open_update,
    .step = step,
    .model = refuse_model,
    .close = close_update,
};
