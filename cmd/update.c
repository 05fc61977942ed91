/* update: learns from the feedback of rounds, and sends its weights back through the ring. */
#include <inttypes.h>
#include <unistd.h>

#include "learn/learner_model.h"
#include "run/filter.h"
#include "run/ring_fifo.h"
#include "run/setting_option.h"
#include "say.h"
#include "stream/model_file.h"

struct update {
    struct host *host;
    const struct learner *learner;
    struct settings settings;
    const char *model, *ring_path, *steps;
    bool anew, unmasked;  /* replace the model, not continue it; allow labels beside an order */
    uint64_t every, most; /* rounds between checkpoints (0: none); most weights (0: preset) */
    struct model_file file;
    struct ring *ring;
    struct state state;
    struct model outgoing;
    uint64_t rounds; /* of this run */
};

static const char *gain_word(size_t i)
{
    return settings_known[SETTING_GAIN].words[i];
}

static const char *learner_word(size_t i)
{
    return learners[i] ? learners[i]->name : NULL;
}

static const struct option options_known[] = {
    { 'C', "tradeoff", NULL, "solar1: C (default 1e-5); solar2: gamma (default 10000); others: the "
                             "ridge penalty (default 1, baselines 100); a number above 0" },
    { 'E', "epsilon", NULL, "smoothdcg, smoothdcg-dr: smoothing, a number above 0 (default 0.01)" },
    { 'G', "gain", gain_word, "ftpl: gain of a label (default exp)" },
    { 'H', NULL, NULL, "memory: forget a query whose answers surprise (default: never forget)" },
    { 'K', NULL, NULL, "memory: learn from clicks down to the last (default: from relevance)" },
    { 'L', "grade", NULL, "prank: top grade of the labels, 1 to 1000 (default 4)" },
    { 'M', "models", NULL, "with -m: models to keep, as model.ROUND (default: the last alone)" },
    { 'N', "size", NULL, "committee: number of members, 1 to 1000000 (default 20)" },
    OPTION_PROGRESS,
    { 'R', "rho", NULL, "memory: variance of a document's effect, 0 or more (default: estimated)" },
    { 'S', "width", NULL, "thompson, linucb, dbgd, memory: width of exploration (default 0.1; 1; "
                          "4)" },
    { 'T', "horizon", NULL, "rounds of the run: eta is horizon^(-2/3), or horizon^(-1/2)" },
    { 'U', "radius", NULL, "radius of the ball for the weights, above 0 (default: no ball)" },
    { 'X', NULL, NULL, "learn from all labels of rounds that explore ordered (default: refuse)" },
    { 'a', "learner", learner_word, "how to learn (no default)" },
    { 'c', "rounds", NULL, "with -m: rounds between checkpoints (default: save at the end alone)" },
    { 'd', "dim", NULL, "most weights (default 2^24; solar2, regressions 4096; committee 2^19)" },
    { 'e', "eta", NULL, "step size, above 0 (default: adaptive steps; minimax 1, dbgd 0.01)" },
    { 'f', "ring", NULL, "FIFO that carries the weights back to score (default: no ring)" },
    { 'k', "cutoff", NULL, "slam: cutoff of the NDCG to learn for (default: the whole list)" },
    { 'm', "model", NULL, "file of the model to continue and replace (default: standard output)" },
    { 'n', NULL, NULL, "with -m: start a new model (default: continue the one in the file)" },
    { 'o', NULL, NULL, "learners of pairs: take them in document order (default: at random)" },
    { 'p', NULL, NULL, "regressions: features as they are (default: deviation and mean)" },
    { 's', "seed", NULL, "seed of what the learner draws, a whole number from 0 (default 1)" },
    { 'x', "steps", NULL, "make features of raw ones, as features does; none: as they come" },
    { 0 },
};

static int parse_option(struct update *my, const struct options *options)
{
    int found;
    switch (options->letter) {
    case 'M':
        return options_whole(options, 1, RECORD_MOST, &my->file.keep);
    case 'P':
        my->host->progress->asked = true;
        return 0;
    case 'X':
        my->unmasked = true;
        return 0;
    case 'a':
        found = options_find(options, "learner", options->value, learner_word);
        my->learner = found < 0 ? NULL : learners[found];
        return found;
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

static int parse(void *self, struct options *options, struct host *host)
{
    struct update *my = self;
    int letter;
    my->host = host;
    my->file.lock_fd = -1;
    while ((letter = options_next(options)) > 0)
        if (parse_option(my, options) < 0)
            return -1;
    if (letter < 0 || options_no_operands(options) < 0)
        return letter < 0 ? letter : -1;
    if (!my->learner)
        return fault_usage(options->fault, "no learner: use -a kl, for instance");
    if ((my->every || my->file.keep) && !my->model)
        return fault_usage(options->fault, "-%c needs -m: it saves into the model file",
                           my->every ? 'c' : 'M');
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
    if (!my->model && !my->host->to && isatty(STDOUT_FILENO))
        return fault_usage(fault, "standard output is a terminal: use -m model, or a file");
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
    if (my->model && !my->anew && load(my) < 0)
        return -1;
    return publish(my);
}

static int save(struct update *my, struct fault *fault)
{
    if (learner_save(&my->state, &my->outgoing, fault) < 0)
        return -1;
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
    my->rounds++;
    if (my->every && my->state.rounds % my->every == 0 && save(my, fault) < 0)
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
    .usage = "-a learner [-HKPXnop] [-C tradeoff] [-E epsilon] [-G gain] [-L grade] "
             "[-M models] [-N size] [-R rho] [-S width] [-T horizon | -e eta] [-U radius] "
             "[-c rounds] [-d dim] [-f ring] [-k cutoff] [-m model] [-s seed] [-x steps]",
    .line = "learns from the feedback",
    .options = options_known,
    .size = sizeof(struct update),
    .parse = parse,
    .kind = kind,
    .open = open_update,
    .step = step,
    .model = refuse_model,
    .close = close_update,
};
