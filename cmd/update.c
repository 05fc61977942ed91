/* update: learns from the feedback of rounds, and sends its weights back through the ring. */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"
#include "base/unaligned.h"
#include "explore/feedback.h"
#include "io/sync.h"
#include "learn/learner_model.h"
#include "learn/regressions.h"
#include "learners/learners.h"
#include "model/model_file.h"
#include "run/filter.h"
#include "run/weights_ring.h"
#include "say.h"
#include "stream/record.h"
#include "stream/round.h"

/* When it saves during a run: by rounds, by seconds, or by both. */
struct checkpoints {
    uint64_t every_rounds, every_seconds; /* 0: not by these */
    double checked; /* seconds: when one was due by them; 0: never yet */
};

struct update {
    struct host *host;
    struct option letters[SETTINGS + 1]; /* of settings; ended by 0  */
    const char *words;                   /* of -a; NULL: not given   */
    const struct learner *learner;
    struct settings settings;
    bool explains; /* -h is about the learner */
    const char *model, *ring_path, *steps, *names, *refusals;
    const char *forgets;  /* of forget_name; NULL: learns */
    uint64_t forgotten;   /* pairs */
    uint64_t share, shares; /* of -i; shares 0: not given   */
    bool others;          /* rounds of other shares came */
    bool anew, unmasked;  /* replace the model, not continue it; allow labels beside an order */
    struct checkpoints checkpoints;
    bool resumed;  /* a model, and nothing was said of its base */
    bool unsaved;  /* saving failed */
    uint64_t most; /* weights; 0: preset */
    uint64_t features; /* -w; 0: not given */
    struct model_file file;
    struct ring *ring;
    struct state state;
    struct model outgoing;
    uint64_t rounds, refused; /* of this run */
    uint64_t saved;  /* that the model in the file has learnt; 0: there is none */
    uint64_t written, latest; /* models on standard output, and what the last one has learnt */
    int looked;      /* rounds that look_for_large has seen */
};

static const char *learner_name(size_t i)
{
    return learners[i] ? learners[i]->name : NULL;
}

static const char *forget_name(size_t i)
{
    static const char *const names[] = { "queries", "documents", NULL };
    return names[i];
}

/* In addition each setting of learners has a letter (learn/settings.h). */
static const struct option update_options[] = {
    OPTION_PROGRESS,
    { 'X', NULL, NULL, "learn from all labels of rounds that explore ordered (default: refuse)",
      OPTION_FLAG(update, unmasked) },
    { 'a', "learner", learner_name, "how to learn (default memory), and settings of the learner, "
                                    "as in kl,eta=1e-5,radius=1; update -h kl lists those of kl",
      OPTION_TEXT(update, words) },
    { 'b', NULL, NULL, "with -m: if little of a large model changed, save that alone, and leave "
                       "the whole model in its folder (default: save all of the model)",
      OPTION_FLAG(update, file.patches) },
    { 'c', "every", NULL, "rounds, or seconds as 30s, between checkpoints, which without -m follow "
                          "each other on standard output (default: save at the end alone)",
      OPTION_OWN },
    { 'd', "dim", NULL, "most weights (default 2^24; solar2, ridge, linucb, pairrank 4096; memory "
                      "2^21)",
      OPTION_WHOLE(update, most, 1, ROUND_DIM) },
    { 'f', "ring", NULL, "FIFO that carries the weights back to score, or - for standard output "
                       "(default: no ring)", OPTION_TEXT(update, ring_path) },
    { 'i', "i/n", NULL, "learn only the i-th of n shares, which are cut by query (default: all "
                        "rounds)", OPTION_OWN },
    { 'l', "models", NULL, "with -m: models to keep, as model.ROUND (default: the last alone)",
      OPTION_WHOLE(update, file.keep, 1, RECORD_MOST) },
    { 'm', "model", NULL, "file of the model to continue and replace (default: standard output)",
      OPTION_TEXT(update, model) },
    { 'n', NULL, NULL, "with -m: start a new model (default: continue the one in the file)",
      OPTION_FLAG(update, anew) },
    { 'q', "refused", NULL, "file to which rounds that the learner refuses are added; they are "
                            "skipped, unless they changed a part of the model (default: an error)",
      OPTION_TEXT(update, refusals) },
    { 'r', "what", forget_name, "forget the queries or the documents of the rounds, in place of "
                                "learning from them; with -m and the learner memory",
      OPTION_TEXT(update, forgets) },
    { 'w', "features", NULL, "accept rounds of any number of raw features up to this, and no more "
                             "(default: the same number)",
      OPTION_WHOLE(update, features, 1, ROUND_DIM) },
    { 'x', "steps", NULL, "make features of raw ones, as features does; none: as they come "
                          "(default: scale for memory, pairrank and ridge's kin, else none)",
      OPTION_TEXT(update, steps) },
    { 'y', "names", NULL, "file of names of features, one a line, which the model keeps (default: "
                          "features have numbers)", OPTION_TEXT(update, names) },
    { 0 },
};

/* ---- -h and -c ---- */

enum { SECONDS_MOST = 1000000000 };

/* The value of -c: "100" is rounds, "30s" seconds. It may come twice, once for each. 0 or a usage
 * fault. */
static int parse_checkpoints(struct checkpoints *checkpoints, const struct options *options)
{
    char digits[16] = "";
    size_t n = strlen(options->value);
    if (n < 2 || n > sizeof digits || options->value[n - 1] != 's')
        return options_whole(options, 1, RECORD_MOST, &checkpoints->every_rounds);
    memcpy(digits, options->value, n - 1);
    if (record_number(digits, SECONDS_MOST, &checkpoints->every_seconds) &&
        checkpoints->every_seconds > 0)
        return 0;
    return fault_usage(options->fault, "-c wants a whole number of rounds, or of seconds as in "
                       "30s, not '%.40s'", options->value);
}

/* Is one due after the round with which a model has learnt so many? Seconds count from the last one
 * that was due by them. */
static bool is_checkpoint_due(struct checkpoints *my, uint64_t rounds)
{
    double now = my->every_seconds ? moment_seconds() : 0;
    bool late = my->checked > 0 && now - my->checked >= (double)my->every_seconds;
    if (late || my->checked <= 0)
        my->checked = now;
    return late || (my->every_rounds && rounds % my->every_rounds == 0);
}

static bool explain(const void *self, FILE *to)
{
    const struct update *my = self;
    if (!my->explains)
        return false;

    const struct learner *learner = my->learner;
    fprintf(to, "usage: update -a %s%s\n\n", learner->name,
            *learner->letters ? "[,setting=value ...]" : "");

    if (learner->least == SURROGATE_ALL)
        fprintf(to, "It needs feedback on all documents of a round.\n");
    else
        fprintf(to, "It needs feedback on at least %zu document%s of a round.\n", learner->least,
                learner->least == 1 ? "" : "s");
    fprintf(to, "It is made for: explore%s%s | feedback-mask %s\n", learner->shown ? " " : "",
            learner->shown ? learner->shown : "", learner->seen);
    if (learner->items)
        fprintf(to, "It learns a fixed list of items, without features.\n");
    fprintf(to, "It has at most %zu weights, unless -d says otherwise.\n",
            learner->most ? learner->most : LEARNER_MOST);
    if (learner->made)
        fprintf(to, "It makes features of raw ones by %s, unless -x says otherwise.\n",
                learner->made);
    fprintf(to, *learner->letters ? "\n" : "It has no settings.\n");

    for (size_t i = 0; i < SETTINGS; i++)
        if (strchr(learner->letters, settings_known[i].letter)) {
            char name[40], text[300], range[SETTING_TEXT], value[SETTING_TEXT];
            const struct setting *setting = &settings_known[i];
            const double preset = learner->preset[i];
            bool flag = setting->type == TYPE_FLAG;
            snprintf(name, sizeof name, "%s%s", setting->name, flag ? "" : "=value");
            snprintf(text, sizeof text, "%s%s%s (default: %s); -%c", setting->what,
                     flag ? "" : ": ", flag ? "" : setting_range(setting, range),
                     preset != 0 ? setting_print(setting, preset, value) : setting->unset,
                     setting->letter);
            help_row(to, &(struct option){ .value = name, .text = text },
                     sizeof "  tradeoff=value ");
        }
    fprintf(to, "\nrankpipe help learners opens the page of all learners\n");

    return true;
}

static bool rings_on_stdout(const struct update *my)
{
    return my->ring_path && strcmp(my->ring_path, "-") == 0;
}

/* -r */
static int check_forgets(const struct update *my, struct fault *fault)
{
    const char *what = my->forgets;
    if (!what)
        return 0;
    if (strcmp(what, forget_name(0)) != 0 && strcmp(what, forget_name(1)) != 0)
        return fault_usage(fault, "-r forgets queries or documents, not '%.40s'", what);
    if (!my->learner->forget)
        return fault_usage(fault, "-r needs a learner that remembers documents, and %s does not",
                           my->learner->name);
    if (!my->model || my->anew || my->ring_path || my->shares || my->refusals)
        return fault_usage(fault, "-r needs the model of -m, without -f, -i, -n and -q");
    return 0;
}

static int parse(void *self, struct options *options, struct host *host)
{
    struct update *my = self;
    int letter;
    my->host = host;
    host->saves = true;
    my->file.lock_fd = -1;
    for (size_t i = 0; i < SETTINGS; i++) {
        my->letters[i].letter = settings_known[i].letter;
        my->letters[i].value = settings_known[i].type == TYPE_FLAG ? NULL : settings_known[i].name;
    }
    options->unlisted = my->letters;
    while ((letter = options_next(options)) > 0)
        if ((letter == 'c' && parse_checkpoints(&my->checkpoints, options) < 0) ||
            (letter == 'i' && options_share(options, &my->share, &my->shares) < 0) ||
            (!options->option->text && /* of learners, then */
             learner_words_option(options->letter, options->value, &my->settings,
                                  options->fault) < 0))
            return -1;
    if (letter == OPTIONS_HELP) { /* "update -h kl": -h is about this learner */
        const char *word = options_operands(options)[0];
        my->explains = word != NULL;
        if (word)
            my->learner = learner_words_read(word, &my->settings, options->fault);
        return word && !my->learner ? -1 : OPTIONS_HELP;
    }
    if (letter < 0 || options_no_operands(options) < 0)
        return letter < 0 ? letter : -1;
    my->learner = my->words ? learner_words_read(my->words, &my->settings, options->fault)
                            : learner_usual;
    if (!my->learner) return -1;
    for (const char *saves = "bl"; *saves; saves++)
        if (options->given[(unsigned char)*saves] && !my->model)
            return fault_usage(options->fault, "-%c needs -m, the model file to save", *saves);
    if (rings_on_stdout(my) && !my->model)
        return fault_usage(options->fault, "-f - needs -m: standard output carries the ring, not "
                           "the model");
    if ((my->shares || my->refusals) && my->ring_path)
        return fault_usage(options->fault, "-%c is for stored rounds, without -f: in a ring score "
                           "waits for each round to be learnt", my->shares ? 'i' : 'q');
    if (my->anew && !my->model)
        return fault_usage(options->fault, "-n needs -m, the model file to replace");
    if (check_forgets(my, options->fault) < 0) return -1;
    if (learner_start(&my->state, my->learner, &my->settings, (size_t)my->most, options->fault) < 0)
        return -1;
    my->state.origin.names_path = my->names;
    my->state.origin.most = (size_t)my->features;
    return learner_make(&my->state, my->steps, options->fault);
}

/* Continues the model of the file, if it exists, and reports so. */
static int load(struct update *my)
{
    int got = learner_resume(&my->state, my->model, my->host->watch, my->host->fault);
    if (got == 0 && my->forgets)
        return fault_other(my->host->fault, "%s: no such file", my->model);
    if (got > 0)
        warn(my->host, "update", "resuming from round %" PRIu64 " of %s", my->state.rounds,
             my->model);
    my->saved = my->state.rounds;
    my->resumed = got > 0 && my->saved > 0;
    return got;
}

/* Continues a model, or starts one, at its prior where it has one. */
static int begin(struct update *my)
{
    int got = my->model && !my->anew ? load(my) : 0;
    const char *prior = settings_path(&my->state.settings, SETTING_PRIOR);
    if (got < 0 || (got == 0 && prior_begin(&my->state, my->host->watch, my->host->fault) < 0))
        return -1;
    if (got > 0 && *prior)
        warn(my->host, "update", "prior=%s is not read again: the model began at it", prior);
    return my->learner->open ? my->learner->open(my->state.own, &my->state, my->host->watch,
                                                 my->host->fault) : 0;
}

/* Raw features beyond this ruin most learners. */
static const float large = 100;

/* Has a round whose features nothing made one beyond `large`? Then *line names the first. */
static bool large_features(const struct round *round, struct fault *line)
{
    struct matrix x;
    if (round->made || round_matrix(round, &x, line) < 0)
        return false;
    const unsigned char *val = x.kind == MATRIX_DENSE ? x.x : x.val;
    for (size_t i = 0, e = 0; x.kind != MATRIX_UNIT && i < x.docs; i++) {
        size_t end = x.kind == MATRIX_DENSE ? (i + 1) * x.dim : unaligned_u4(x.ptr + 4 * (i + 1));
        for (size_t from = e; e < end; e++) {
            float value = unaligned_f4(val + 4 * e);
            size_t j = x.kind == MATRIX_DENSE ? e - from : unaligned_u4(x.idx + 4 * e);
            if (fabsf(value) > large) {
                char name[ROUND_NAME];
                (void)fault_other(line, "%s: feature %zu of document %zu is %g, and raw features "
                                  "as large as this ruin most learners: add -x scale, or -x none "
                                  "to accept them", round_name(round, name), j + 1, i,
                                  (double)value);
                return true;
            }
        }
    }
    return false;
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
    warn(my->host, "update", "%s", line.text);
}

/* Says, once each, that rounds have a base and the model does without, or another base than that it
 * began with. */
static void look_at_base(struct update *my, const struct round *round)
{
    static const char engine[] = "the search engine";
    struct origin *origin = &my->state.origin;
    char name[ROUND_NAME];
    if (origin_base_differs(origin, round))
        warn(my->host, "update", "%s: %s ordered its base, but %s that of the rounds before: the "
             "model goes on, and its weight of the base is that of both; to begin anew: -n",
             round_name(round, name), round->based ? "a model" : engine,
             *origin->based ? "another model" : engine);
    if (!my->resumed || my->steps || !my->learner->ranked || !round->base ||
        origin_has_base(origin))
        return;
    my->resumed = false;
    warn(my->host, "update", "the rounds have the column base, and the model was learnt without: "
         "it goes on without; to begin with that order, learn anew by -x scale,base (a service: "
         "rankpipe service rebuild '-x scale,base')");
}

static int publish(struct update *my)
{
    struct fault *fault = my->host->fault;
    if (!my->ring)
        return 0;
    enum publishing how = my->ring->lasting ? PUBLISH_SHARED
                          : my->rounds == 0 ? PUBLISH_WHOLE
                                            : PUBLISH_CHANGES;
    if (learner_publish(&my->state, &my->outgoing, how, fault) < 0) return -1;
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
    if (my->model && model_file_open(&my->file, my->model, fault) < 0) return -1;
    if (my->model)
        my->host->watch->out = NULL; /* nothing is written there, so its reader may go */
    if (my->host->ring)
        my->ring = ring_local_update(my->host->ring);
    else if (my->ring_path)
        my->ring = ring_fifo_update(my->ring_path, my->host->in, my->host->watch, fault);
    if (my->ring_path && !my->ring) return -1;
    my->host->once = my->ring_path != NULL;
    if (origin_open(&my->state.origin, my->host->watch, fault) < 0 || begin(my) < 0) return -1;
    return publish(my);
}

static int save(struct update *my, struct fault *fault)
{
    if (learner_save(&my->state, &my->outgoing, fault) < 0) return -1;
    record_want_crc(&my->outgoing.record);
    if (my->model) {
        my->saved = my->state.rounds;
        return model_file_save(&my->file, &my->outgoing, fault);
    }
    my->written++;
    my->latest = my->state.rounds;
    return writer_record(my->host->out, &my->outgoing.record, fault);
}

/* The model of the end, unless a checkpoint has just written it; and the end of standard output. */
static int save_last(struct update *my, struct fault *fault)
{
    bool there = my->written && my->latest == my->state.rounds;
    if (!there && save(my, fault) < 0) return -1;
    return my->model ? 0 : writer_end(my->host->out, my->written, fault);
}

/* -r: the round says what to forget. */
static enum outcome forget(struct update *my, const struct round *round)
{
    bool query = strcmp(my->forgets, forget_name(0)) == 0;
    my->rounds++;
    return my->learner->forget(my->state.own, &my->state, round, query, &my->forgotten,
                               my->host->fault) < 0 ? FAIL : DROP;
}

/* The learner cannot use a round. With -q its name is kept, and unless the state is spoilt the next
 * round comes. */
static enum outcome refuse(struct update *my, const struct round *round)
{
    struct fault *fault = my->host->fault;
    if (!my->refusals || fault->kind != FAULT_DATA) return FAIL;

    char line[ROUND_REQUEST + sizeof fault->text + 32];
    struct fault adding = { FAULT_NONE, "" };
    /* "NAME TAB REASON", with a LF */
    int n = round->request ? snprintf(line, sizeof line, "%s\t%s\n", round->request, fault->text)
                           : snprintf(line, sizeof line, "%" PRIu64 "\t%s\n", round->t,
                                      fault->text);
    for (char *p = strchr(line, '\t') + 1; p < line + n - 1; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            *p = '?';

    int fd = watch_open(NULL, my->refusals, O_WRONLY | O_CREAT | O_APPEND, 0666, &adding);
    if (fd < 0 || write(fd, line, (size_t)n) != n || sync_file(fd) < 0)
        (void)fault_system(&adding, "cannot write %s", my->refusals);
    if (fd >= 0)
        close(fd);
    if (adding.kind != FAULT_NONE)
        fault_also(fault, &adding);
    else if (!my->state.begun)
        *fault = (struct fault){ FAULT_NONE, "" };
    if (fault->kind != FAULT_NONE) return FAIL;

    my->refused++;
    return DROP;
}

static enum outcome each(void *self, struct round *round)
{
    struct update *my = self;
    struct fault *fault = my->host->fault;
    if (my->shares && round_share(round, my->shares) != my->share) {
        my->others = true;
        return DROP;
    }
    if (my->forgets)
        return forget(my, round);
    if ((!my->unmasked && feedback_masked(round, fault) < 0) ||
        learner_learn(&my->state, round, fault) < 0)
        return refuse(my, round);
    look_for_large(my, round);
    look_at_base(my, round);
    my->rounds++;
    my->unsaved = is_checkpoint_due(&my->checkpoints, my->state.rounds) && save(my, fault) < 0;
    return my->unsaved || publish(my) < 0 ? FAIL : DROP;
}

static enum outcome refuse_model(void *self, struct record *record)
{
    struct update *my = self;
    (void)record;
    return fault_data(my->host->fault, "the stream has a model, but update learns from rounds: to "
                      "continue a model, use -m");
}

static int close_update(void *self, enum ended ended)
{
    struct update *my = self;

    struct fault *fault = my->host->fault, saving = { FAULT_NONE, "" };
    /* What was learnt before the end is saved, whatever ended the run. */
    bool some = my->rounds > 0 || my->others; /* a share without rounds has a model, too */
    if (ended == CLEAN && !some && my->refused == 0)
        (void)fault_other(fault, "<stdin>: no rounds");
    my->host->watch->stop = -1; /* the signal must not stop the saving */
    if (my->state.begun && my->rounds > 0) {
        struct fault loss = { FAULT_NONE, "" };
        static const char text[] = "the failed round had changed a part of the model, which is "
                                   "therefore not saved";
        if (my->saved)
            (void)fault_other(&loss, "%s: %s still holds the model of round %" PRIu64 " (-c sets "
                              "how often update saves)", text, my->model, my->saved);
        else
            (void)fault_other(&loss, "%s (-m with -c saves during the run)", text);
        fault_also(fault, &loss);
    } else if (!my->unsaved && some && save_last(my, &saving) < 0)
        fault_also(fault, &saving);
    else if (my->ring && my->ring->end && (ended == CLEAN || ended == CUT))
        (void)my->ring->end(my->ring, fault);

    struct fault line = { FAULT_NONE, "" };
    const struct learner *learner = my->learner;
    if (my->forgets && my->saved)
        warn(my->host, "update", "forgot %" PRIu64 " pairs of query and document", my->forgotten);
    if (my->refused > 0)
        warn(my->host, "update", "refused %" PRIu64 " of %" PRIu64 " rounds: see %s", my->refused,
             my->refused + my->rounds, my->refusals);
    if (learner && learner->report && my->state.own && learner->report(my->state.own, &line))
        warn(my->host, "update", "%s", line.text);

    if (my->ring && my->ring->close)
        my->ring->close(my->ring);
    model_file_close(&my->file);
    learner_close(&my->state);
    return my->host->fault->kind == FAULT_NONE ? 0 : -1;
}

const struct filter update = {
    .name = "update",
    .usage = "[-PXbn] [-a learner] [-c every] [-d dim] [-f ring] [-i i/n] [-l models] "
             "[-m model] [-q refused] [-r what] [-w features] [-x steps] [-y names]",
    .line = "learns from the feedback",
    .options = update_options,
    .size = sizeof(struct update),
    .kind = SINK,
    .parse = parse,
    .explain = explain,
    .open = open_update,
    .each = each,
    .model = refuse_model,
    .close = close_update,
};
