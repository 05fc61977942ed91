/* score: adds a score to each document, by a model's weights, by the newest from the ring, or as
 * another ranker gave it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/fault.h"
#include "base/text.h"
#include "io/lines.h"
#include "io/watch.h"
#include "learn/scoring.h"
#include "learners/learners.h"
#include "math/order.h"
#include "model/model_file.h"
#include "run/filter.h"
#include "run/weights_ring.h"
#include "say.h"
#include "stream/record_header.h"

/* Scoring by a model's file, and by each new one that is renamed over it.
 *
 * A new file of more than RELOAD_BESIDE bytes, or a patch, is read by a thread, which frees the old
 * model too, while rounds go on being scored: 10^7 pairs of memory take 100 ms, or as long as the
 * disk takes. A thread runs only then, and touches nothing but its struct reload_work. */

enum { RELOAD_BESIDE = 1 << 20 };

struct reload_work { /* of a thread; the caller's again once it is done and joined */
    pthread_t thread;
    bool runs;              /* or ran, and was not joined yet                    */
    bool reads;             /* a new model into `scoring`; else it frees an old one */
    atomic_bool done;
    struct scoring scoring;
    struct fault why;       /* FAULT_NONE: it was read */
};

struct reload {
    const char *path;
    const struct watch *watch;
    int fd;         /* of the file read last; kept open so that no new file gets its inode */
    struct stat is; /* that file, as it was before it was read                             */
    bool away;      /* it was reported that there is no file                               */
    bool written;   /* it was reported that the file was changed in place                  */
    struct reload_work work;
};

/* Reads the model of the open file into `fresh`. 0, or a fault, after which it holds nothing. */
static int read_fresh(const struct reload *reload, struct scoring *fresh, struct fault *fault)
{
    struct model model;
    struct mapped mapped = { .map = NULL };
    int result = model_file_read(reload->fd, reload->path, &mapped, &model, fault);
    if (result > 0) {
        result = scoring_take_file(fresh, &mapped, &model, fault);
        if (result < 0)
            fault_place(fault, "model %s: ", reload->path);
    }
    mapped_close(&mapped);
    if (result < 0) {
        scoring_close(fresh);
        return -1;
    }
    return 0;
}

/* Takes all of the new model, or leaves the old one as it is. */
static int read_model(const struct reload *reload, struct scoring *scoring, struct fault *fault)
{
    struct scoring fresh = { .learners = scoring->learners, .allowed = scoring->allowed };
    if (read_fresh(reload, &fresh, fault) < 0) return -1;
    scoring_close(scoring);
    *scoring = fresh;
    return 0;
}

/* ---- beside the rounds ---- */

static void *work(void *self)
{
    struct reload *reload = self;
    struct reload_work *my = &reload->work;
    if (!my->reads)
        scoring_close(&my->scoring);
    if (!my->reads || read_fresh(reload, &my->scoring, &my->why) < 0)
        my->scoring = (struct scoring){ .learner = NULL };
    atomic_store(&my->done, true);
    return NULL;
}

/* Starts a thread that reads a new model, or frees the old one. No signal comes to it but those of
 * its own memory. Where the system has no thread, the work is done before this returns. */
static void start(struct reload *reload, bool reads)
{
    enum { STACK = 1 << 20 }; /* the default of musl is less than two records */
    struct reload_work *my = &reload->work;
    pthread_attr_t attributes;
    sigset_t all, before;
    my->reads = reads;
    my->why = (struct fault){ FAULT_NONE, "" };
    atomic_store(&my->done, false);
    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGSEGV);
    bool can = pthread_attr_init(&attributes) == 0;
    if (can) {
        (void)pthread_attr_setstacksize(&attributes, STACK);
        (void)pthread_sigmask(SIG_SETMASK, &all, &before);
        my->runs = pthread_create(&my->thread, &attributes, work, reload) == 0;
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
        (void)pthread_attr_destroy(&attributes);
    }
    if (!my->runs)
        work(reload);
}

/* The work is done: scores by a model that was read, and frees the one before. */
static int finish(struct reload *reload, struct scoring *scoring, struct fault *fault)
{
    struct reload_work *my = &reload->work;
    if (my->runs)
        (void)pthread_join(my->thread, NULL);
    my->runs = false;
    if (!my->reads)
        return 0;
    my->reads = false;
    if (my->why.kind != FAULT_NONE) {
        *fault = my->why;
        return -1;
    }
    struct scoring old = *scoring;
    *scoring = my->scoring;
    my->scoring = old;
    start(reload, false);
    return 0;
}

/* Begins to read a new model. */
static int begin(struct reload *reload, struct scoring *scoring, struct fault *fault)
{
    reload->work.scoring = (struct scoring){ .learners = scoring->learners,
                                             .allowed = scoring->allowed };
    start(reload, true);
    return reload->work.runs ? 0 : finish(reload, scoring, fault);
}

/* ---- the file ---- */

/* Opens the file that the path names now, and closes the old one. Without blocking: there may be a
 * FIFO. */
static int reopen(struct reload *reload, struct fault *fault)
{
    struct stat is;
    int fd = watch_open(reload->watch, reload->path, O_RDONLY | O_NONBLOCK, 0, fault);
    if (fd < 0 || fstat(fd, &is) < 0) {
        if (fd < 0 && errno == ENOENT)
            (void)fault_other(fault, "model %s" SCORING_NO_FILE, reload->path);
        fault_system(fault, "model %s", reload->path);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    if (reload->fd >= 0)
        close(reload->fd);
    reload->fd = fd;
    reload->is = is;
    reload->away = reload->written = false;
    return 0;
}

static int check_file(const struct reload *reload, struct fault *fault)
{
    if (S_ISREG(reload->is.st_mode))
        return 0;
    return fault_other(fault, "model %s is %s, not a file", reload->path,
                       S_ISDIR(reload->is.st_mode) ? "a directory" : "a device or a pipe");
}

static int report_missing(struct reload *reload, struct fault *why)
{
    bool reported = reload->away;
    if (why->kind == FAULT_STOPPED || reported) {
        *why = (struct fault){ FAULT_NONE, "" };
        return 0;
    }
    reload->away = true;
    return fault_system(why, "model %s", reload->path);
}

/* A patch is one of a large model. */
static bool is_large(const struct reload *reload)
{
    static const char patch[] = "rankpipe/1 patch ";
    char start[sizeof patch - 1];
    return reload->is.st_size > RELOAD_BESIDE ||
           (pread(reload->fd, start, sizeof start, 0) == (ssize_t)sizeof start &&
            memcmp(start, patch, sizeof start) == 0);
}

/* If the path names another file than before, scores by that one from now on; or from a later call
 * on, if it is read beside the rounds. 0; or -1 with the reason in `why`, which must be FAULT_NONE
 * before: then scoring is as it was. Each problem is reported once. Costs one stat, if no model is
 * being read. */
static int reload_look(struct reload *reload, struct scoring *scoring, struct fault *why)
{
    struct stat now;
    if (reload->work.runs)
        return atomic_load(&reload->work.done) ? finish(reload, scoring, why) : 0;
    if (stat(reload->path, &now) < 0)
        return report_missing(reload, why);
    if (now.st_dev == reload->is.st_dev && now.st_ino == reload->is.st_ino) {
        /* A file that is overwritten in place may be half old and half new: it is not read. */
        const struct stat *was = &reload->is;
        reload->away = false;
        if (reload->written ||
            (now.st_size == was->st_size && now.st_mtim.tv_sec == was->st_mtim.tv_sec &&
             now.st_mtim.tv_nsec == was->st_mtim.tv_nsec))
            return 0;
        reload->written = true;
        return fault_other(why, "model %s was changed in place and is not read again: rename a new "
                           "file to that name", reload->path);
    }
    if (reopen(reload, why) < 0)
        return report_missing(reload, why);
    if (check_file(reload, why) < 0) return -1;
    return is_large(reload) ? begin(reload, scoring, why) : read_model(reload, scoring, why);
}

/* The same for a file that need not be there, from the first call on, without reload_open: while
 * there is none, `scoring` has no model, and its learner is NULL. */
static int reload_look_for(struct reload *reload, const char *path, const struct watch *watch,
                           struct scoring *scoring, struct fault *why)
{
    struct stat now;
    const struct scoring none = { .learners = scoring->learners, .allowed = scoring->allowed };
    reload->path = path;
    reload->watch = watch;
    if (reload->work.runs || stat(path, &now) == 0)
        return reload_look(reload, scoring, why);
    if (errno != ENOENT)
        return report_missing(reload, why);
    scoring_close(scoring);
    *scoring = none;
    reload->is = (struct stat){ .st_ino = 0 };
    reload->away = false;
    return 0;
}

/* Waits for its thread. */
static void reload_close(struct reload *reload)
{
    if (reload->work.runs)
        (void)pthread_join(reload->work.thread, NULL);
    reload->work.runs = false;
    scoring_close(&reload->work.scoring);
    if (reload->fd >= 0)
        close(reload->fd);
    reload->fd = -1;
}

/* Reads the scores that another ranker gave to documents, from a file: one number a
 * line, as xgboost and LightGBM print predictions. */

struct score_lines { /* must not be moved while it is open */
    struct lines lines;
    char *file[2];
    uint64_t documents; /* so far */
};

/* The next line that is not blank, as a number: 1, 0 at the end, or a fault. */
static int next(struct score_lines *scores, double *score, struct fault *fault)
{
    struct lines *line = &scores->lines;
    const char *p;
    do {
        int more = lines_next(line, fault);
        if (more <= 0)
            return more;
        p = text_skip_blanks(line->text);
    } while (*p == '\0');
    const char *end = decimal_end(p);
    *score = strtod(p, NULL);
    if (end == p || *text_skip_blanks(end) || !isfinite(*score))
        return lines_wrong(line, line->text, line->bytes, fault, "a score must be one finite "
                           "number, not");
    scores->documents++;
    return 1;
}

/* The next n scores into s[n]. 0, or a fault with file and line: one is no finite number, or there
 * are fewer. */
static int score_lines_next(struct score_lines *scores, size_t n, double *s, struct fault *fault)
{
    for (size_t i = 0; i < n; i++) {
        int got = next(scores, &s[i], fault);
        if (got < 0) return -1;
        if (got == 0)
            return fault_data(fault, "%s has scores for %" PRIu64 " documents, but there are more: "
                              "were the scores made of these rounds?", scores->lines.name,
                              scores->documents);
    }
    return 0;
}

/* The rounds are at their end: 0, or a fault if scores are left. */
static int score_lines_end(struct score_lines *scores, struct fault *fault)
{
    double score;
    uint64_t documents = scores->documents;
    int got = next(scores, &score, fault);
    if (got <= 0)
        return got;
    return fault_data(fault, "%s has a score after those of all %" PRIu64 " documents: were the "
                      "scores made of these rounds?", scores->lines.name, documents);
}

enum { WINDOW_MOST = 1 << 20 };

struct score {
    struct host *host;
    const char *model, *rival_model, *ring_path, *given; /* given: a file of scores; NULL: none */
    uint64_t window; /* rounds that may be in the ring at once             */
    struct ring *ring;
    uint64_t rounds; /* scored so far                                      */
    uint64_t due;    /* number of the next message                         */
    bool follows;    /* rereads the model file when it is replaced         */
    bool streamed;   /* the stream brings models, each for the rounds after it */
    struct buffer payload; /* of such a model */
    uint64_t dim;    /* most features of rounds that may differ; 0: none   */
    struct reload reload, rival_reload;
    bool rival_fails; /* it was said that the rival cannot score a round */
    struct scoring scoring, rival, base; /* rival: of -R; base: of -b */
    const char *base_model;
    char based[CHECKSUM_DIGITS + 1]; /* its checksum  */
    struct buffer ordering;          /* for its order */
    struct score_lines lines;
};

static const struct option options_known[] = {
    { 'M', NULL, NULL, "score by the models of the stream: each scores the rounds after it, and is "
                       "dropped (default: models pass on)", OPTION_FLAG(score, streamed) },
    { 'R', "rival", NULL, "file with the weights of a rival, for explore -p team-draft (default: "
                          "none, or that of the ring's learner)", OPTION_TEXT(score, rival_model) },
    { 'b', "base", NULL, "file with the weights of a ranker whose order becomes the column base "
                         "(default: base as it comes)", OPTION_TEXT(score, base_model) },
    { 'd', "dim", NULL, "with -m: accept rounds of up to so many features, 1 to 2147483648, "
                        "whatever number the model learnt from (default: the same number)",
      OPTION_WHOLE(score, dim, 1, ROUND_DIM) },
    { 'f', "ring", NULL, "FIFO that brings the newest weights from update, before each round",
      OPTION_TEXT(score, ring_path) },
    { 'm', "model", NULL, "file with the weights that score every round",
      OPTION_TEXT(score, model) },
    { 'r', NULL, NULL, "with -m: before each round, look for a new model of that name, and for a "
                       "rival, which may be missing (default: read them once)",
      OPTION_FLAG(score, follows) },
    { 's', "scores", NULL, "file of scores of another ranker, one number a line, for the documents "
                           "in their order", OPTION_TEXT(score, given) },
    { 'w', "window", NULL, "with -f: rounds that may be on their way round the ring, 1 to 1048576 "
                           "(default 1)", OPTION_WHOLE(score, window, 1, WINDOW_MOST) },
    { 0 },
};

static int parse(void *self, struct options *options, struct host *host)
{
    struct score *my = self;
    my->host = host;
    my->window = 1;
    my->reload.fd = my->rival_reload.fd = -1;
    int letter = options_read(options);
    if (letter < 0 || options_no_operands(options) < 0)
        return letter < 0 ? letter : -1;
    int sources = !!my->model + !!my->ring_path + !!my->given + my->streamed;
    if (sources > 1)
        return fault_usage(options->fault, "-m, -M, -f and -s each say where the scores come from: "
                           "give one of them");
    if (sources == 0 && !host->ring && !my->base_model)
        return fault_usage(options->fault, "no weights: give -m model or -f ring");
    if (my->given && (host->served || strcmp(my->given, "-") == 0))
        return fault_usage(options->fault, host->served ? "-s has scores of stored rounds, not of "
                                                          "those that clients bring"
                                                        : "-s wants a file: standard input is for "
                                                          "the rounds");
    if (options->given['w'] && (my->model || my->given))
        return fault_usage(options->fault, "-w needs -f: with -m the weights are fixed");
    if (my->dim && !my->model)
        return fault_usage(options->fault, "-d needs -m: with -f, update checks the number of "
                           "features");
    if (my->follows && !my->model)
        return fault_usage(options->fault, "-r needs -m: -r reads that model file again");
    if (my->rival_model && !my->model)
        return fault_usage(options->fault, "-R needs -m: two models that stay as they are can be "
                           "compared");
    if (my->ring_path && host->served)
        return fault_usage(options->fault, "with -f, score waits for update in each round, and so "
                           "would clients: use -m model -r");
    return 0;
}

static int load_model(struct score *my, const char *path, struct scoring *scoring)
{
    return scoring_open(scoring, path, my->host->watch, my->host->fault);
}

/* Is only the base to be ordered, without scores? */
static bool is_alone(const struct score *my)
{
    return !my->model && !my->given && !my->streamed && !my->ring_path && !my->host->ring;
}

static int open_score(void *self)
{
    struct score *my = self;
    struct fault *fault = my->host->fault;
    my->scoring.learners = my->rival.learners = my->base.learners = learners;
    my->scoring.allowed = my->rival.allowed = my->base.allowed = (size_t)my->dim;
    if (my->rival_model && !my->follows && load_model(my, my->rival_model, &my->rival) < 0)
        return -1;
    if (my->base_model) {
        struct mapped mapped;
        struct model model;
        int got = model_file_load(my->base_model, my->host->watch, &mapped, &model, fault);
        if (got == 0)
            (void)fault_other(fault, "%s" SCORING_NO_FILE, my->base_model);
        if (got > 0 && model.record.has_crc == CRC_NONE)
            got = fault_data(fault, "model %s: it has no crc=, by which rounds name the model of "
                             "their base: release 0.4.0 writes it", my->base_model);
        if (got > 0)
            checksum_print(my->based, model.record.crc);
        mapped_close(&mapped);
        if (got <= 0 || load_model(my, my->base_model, &my->base) < 0) return -1;
    }
    if (my->follows) {
        my->reload.path = my->model;
        my->reload.watch = my->host->watch;
        my->reload.fd = -1;
        if (reopen(&my->reload, fault) < 0 || check_file(&my->reload, fault) < 0) return -1;
        return read_model(&my->reload, &my->scoring, fault);
    }
    if (my->model)
        return load_model(my, my->model, &my->scoring);
    if (my->given) {
        my->lines.file[0] = (char *)my->given;
        lines_open(&my->lines.lines, my->lines.file, my->host->watch);
        return lines_start(&my->lines.lines, fault);
    }
    if (is_alone(my) || my->streamed)
        return 0;
    my->scoring.ring = true;
    my->ring = my->host->ring
                   ? ring_local_score(my->host->ring, my->window, fault)
                   : ring_fifo_score(my->ring_path, my->window, my->host->watch, fault);
    return my->ring ? 0 : -1;
}

/* Reads messages up to number max(0, r - window) before round r, and never a newer one. */
static int catch_up(struct score *my)
{
    const struct model *message;
    uint64_t r = ++my->rounds;
    uint64_t number = r > my->window ? r - my->window : 0;
    if (number < my->due)
        return 0;
    if (my->ring->get(my->ring, number, &message, my->host->fault) < 0) return -1;
    my->due = number + 1;
    return my->ring->lasting ? scoring_borrow(&my->scoring, message, my->host->fault)
                             : scoring_take(&my->scoring, message, my->host->fault);
}

/* Rereads the model if it was replaced. A bad model gets a warning, and scoring goes on. */
static void look(struct score *my)
{
    struct fault why = { FAULT_NONE, "" };
    if (reload_look(&my->reload, &my->scoring, &why) < 0)
        warn(my->host, "score", "%s; the weights stay as they were", why.text);
    why = (struct fault){ FAULT_NONE, "" };
    if (my->rival_model && reload_look_for(&my->rival_reload, my->rival_model, my->host->watch,
                                           &my->rival, &why) < 0)
        warn(my->host, "score", "%s; the rival stays as it was", why.text);
}

/* The rival's scores. One that is read again comes and goes while users are served: a round that it
 * cannot score is left without. 0 or a fault. */
static int score_rival(struct score *my, struct round *round)
{
    struct fault why = { FAULT_NONE, "" };
    if (!my->rival_model || (my->follows && !my->rival.learner))
        return 0;
    if (!my->follows)
        return scoring_round(&my->rival, round, ROUND_RIVAL, NULL, my->host->fault);
    if (scoring_round(&my->rival, round, ROUND_RIVAL, NULL, &why) == 0) {
        my->rival_fails = false;
        return 0;
    }
    if (!my->rival_fails)
        warn(my->host, "score", "rival %s: %s; rounds have no rival", my->rival_model, why.text);
    my->rival_fails = true;
    round_drop(round, ROUND_RIVAL);
    return 0;
}

static enum outcome each(void *self, struct round *round)
{
    struct score *my = self;
    struct fault *fault = my->host->fault, line = { FAULT_NONE, "" };
    if (my->base_model) {
        /* The column base becomes the order of that model; ties as base was before, else at
         * random. */
        const struct ties ties = { .seed = 1 };
        size_t m = round->docs;
        uint32_t *order = buffer_for(&my->ordering, m, 2 * sizeof *order, fault), *base;
        if (!order || scoring_round(&my->base, round, ROUND_RIVAL, NULL, fault) < 0) return FAIL;
        ties_rank(&ties, RNG_TIES, round->t, m, round->rival, round->base, order, order + m);
        if (!(base = round_new(round, ROUND_BASE, fault))) return FAIL;
        memcpy(base, order, m * sizeof *base);
        round_drop(round, ROUND_RIVAL);
        if (round_set_text(round, KEY_BASED, my->based, fault) < 0) return FAIL;
    }
    if (is_alone(my))
        return PASS;
    if (my->given) {
        double *s = round_new_score(round, fault);
        return s && score_lines_next(&my->lines, round->docs, s, fault) == 0 ? PASS : FAIL;
    }
    if (my->streamed && !my->scoring.learner)
        return fault_data(fault, "no model comes before it in the stream, and -M wants one");
    if (my->follows)
        look(my);
    if ((my->ring && catch_up(my) < 0) ||
        scoring_round(&my->scoring, round, ROUND_SCORE, &line, fault) < 0 ||
        score_rival(my, round) < 0)
        return FAIL;
    if (line.kind != FAULT_NONE)
        warn(my->host, "score", "%s", line.text);
    return PASS;
}

/* With a ring, a model is refused here. update would refuse it too, but might wait for score to
 * read a message while score waits for update to read the model. */
static enum outcome each_model(void *self, struct record *record)
{
    struct score *my = self;
    struct fault *fault = my->host->fault;
    if (my->streamed) { /* forgets the model before, and scores by a copy of this one */
        struct model model = { .record = *record };
        const char *from = record->columns ? record->column[0].data : NULL;
        char *to = buffer_for(&my->payload, (size_t)record->bytes, 1, fault);
        if (!to) return FAIL;
        if (from)
            memcpy(to, from, (size_t)record->bytes);
        for (size_t i = 0; i < record->columns; i++)
            model.record.column[i].data = to + ((const char *)record->column[i].data - from);
        scoring_close(&my->scoring);
        my->scoring = (struct scoring){ .learners = learners };
        return model_read(&model, fault) < 0 || scoring_take(&my->scoring, &model, fault) < 0
                   ? FAIL : DROP;
    }
    if (my->model || my->given || is_alone(my))
        return PASS;
    return fault_data(fault, "the stream has a model: with -f, only rounds may come");
}

static void facts(const void *self, void (*put)(void *to, const char *name, double value), void *to)
{
    const struct score *my = self;
    put(to, "model_round", (double)my->scoring.rounds);
}

static int end_score(void *self)
{
    struct score *my = self;
    return my->given ? score_lines_end(&my->lines, my->host->fault) : 0;
}

static int close_score(void *self, enum ended ended)
{
    struct score *my = self;
    int result = 0;
    if (my->ring && my->ring->end && ended == CLEAN)
        result = my->ring->end(my->ring, my->host->fault);
    if (my->ring && my->ring->close)
        my->ring->close(my->ring);
    if (my->lines.lines.watch)
        lines_close(&my->lines.lines);
    reload_close(&my->reload);
    reload_close(&my->rival_reload);
    scoring_close(&my->scoring);
    scoring_close(&my->rival);
    scoring_close(&my->base);
    buffer_free(&my->ordering);
    buffer_free(&my->payload);
    return result;
}

const struct filter score = {
    .name = "score",
    .usage = "[-r] [-R rival] [-b base] [-d dim] [-m model | -M | -f ring [-w window] | -s scores]",
    .line = "adds a score to each document",
    .options = options_known,
    .size = sizeof(struct score),
    .kind = FILTER,
    .parse = parse,
    .open = open_score,
    .facts = facts,
    .each = each,
    .model = each_model,
    .end = end_score,
    .close = close_score,
};
