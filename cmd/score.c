/* score: adds a score to each document, by a model's weights, by the newest from the ring, or as
 * another ranker gave it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/text.h"
#include "io/lines.h"
#include "learn/scoring.h"
#include "learners/learners.h"
#include "run/filter.h"
#include "run/ring.h"
#include "say.h"
#include "stream/model_file.h"

/* Scoring by a model's file, and by each new one that is renamed over it.
 *
 * A new file of more than RELOAD_BESIDE bytes is read by a thread, which frees the old model too,
 * while rounds go on being scored: 10^7 pairs of memory take 100 ms, or as long as the disk takes.
 * A thread runs only then, and touches nothing but its struct reload_work. */

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

/* Scores by the model in the file from now on. `reload` is all zero; it must not move, and path and
 * watch stay the caller's. 0, or a fault; reload_close comes next in either case. */
static int reload_open(struct reload *reload, const char *path, const struct watch *watch,
                       struct scoring *scoring, struct fault *fault)
{
    reload->path = path;
    reload->watch = watch;
    reload->fd = -1;
    if (reopen(reload, fault) < 0 || check_file(reload, fault) < 0) return -1;
    return read_model(reload, scoring, fault);
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

/* A file that is overwritten in place may be half old and half new: it is not read. */
static int report_changed(struct reload *reload, const struct stat *now, struct fault *why)
{
    const struct stat *was = &reload->is;
    reload->away = false;
    if (reload->written ||
        (now->st_size == was->st_size && now->st_mtim.tv_sec == was->st_mtim.tv_sec &&
         now->st_mtim.tv_nsec == was->st_mtim.tv_nsec))
        return 0;
    reload->written = true;
    return fault_other(why, "model %s was changed in place and is not read again: rename a new "
                       "file to that name", reload->path);
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
    if (now.st_dev == reload->is.st_dev && now.st_ino == reload->is.st_ino)
        return report_changed(reload, &now, why);
    if (reopen(reload, why) < 0)
        return report_missing(reload, why);
    if (check_file(reload, why) < 0) return -1;
    return reload->is.st_size > RELOAD_BESIDE ? begin(reload, scoring, why)
                                              : read_model(reload, scoring, why);
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

/* Reads `file`, waiting as the watch says. Both stay the caller's. */
static void score_lines_open(struct score_lines *scores, const char *file, struct watch *watch)
{
    memset(scores, 0, sizeof *scores);
    scores->file[0] = (char *)file;
    lines_open(&scores->lines, scores->file, watch);
}

static void score_lines_close(struct score_lines *scores)
{
    lines_close(&scores->lines);
}

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
    uint64_t dim;    /* most features of rounds that may differ; 0: none   */
    struct reload reload;
    struct scoring scoring, rival; /* rival: of -R */
    struct score_lines lines;
};

static const struct option options_known[] = {
    { 'R', "rival", NULL, "file with the weights of a rival, for explore -p team-draft (default: "
                          "none, or that of the ring's learner)", OPTION_TEXT(score, rival_model) },
    { 'd', "dim", NULL, "with -m: accept rounds of up to so many features, 1 to 2147483648, "
                        "whatever number the model learnt from (default: the same number)",
      OPTION_WHOLE(score, dim, 1, ROUND_DIM) },
    { 'f', "ring", NULL, "FIFO that brings the newest weights from update, before each round",
      OPTION_TEXT(score, ring_path) },
    { 'm', "model", NULL, "file with the weights that score every round",
      OPTION_TEXT(score, model) },
    { 'r', NULL, NULL, "with -m: before each round, look for a new model of that name (default: "
                       "read it once)", OPTION_FLAG(score, follows) },
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
    my->reload.fd = -1;
    int letter = options_read(options);
    if (letter < 0 || options_no_operands(options) < 0)
        return letter < 0 ? letter : -1;
    int sources = !!my->model + !!my->ring_path + !!my->given;
    if (sources > 1)
        return fault_usage(options->fault, "-m, -f and -s each say where the scores come from: "
                           "give one of them");
    if (sources == 0 && !host->ring)
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
    struct mapped mapped;
    struct model model;
    int got = model_file_load(path, my->host->watch, &mapped, &model, my->host->fault);
    if (got == 0)
        (void)fault_other(my->host->fault, "%s: no such file", path);
    int result = got > 0 ? scoring_take_file(scoring, &mapped, &model, my->host->fault) : -1;
    if (got > 0 && result < 0)
        fault_place(my->host->fault, "model %s: ", path);
    mapped_close(&mapped);
    return result;
}

static int open_score(void *self)
{
    struct score *my = self;
    my->scoring.learners = my->rival.learners = learners;
    my->scoring.allowed = my->rival.allowed = (size_t)my->dim;
    if (my->rival_model && load_model(my, my->rival_model, &my->rival) < 0) return -1;
    if (my->follows)
        return reload_open(&my->reload, my->model, my->host->watch, &my->scoring,
                           my->host->fault);
    if (my->model)
        return load_model(my, my->model, &my->scoring);
    if (my->given) {
        score_lines_open(&my->lines, my->given, my->host->watch);
        return lines_start(&my->lines.lines, my->host->fault);
    }
    my->scoring.ring = true;
    my->ring = my->host->ring
                   ? ring_local_score(my->host->ring, my->window, my->host->fault)
                   : ring_fifo_score(my->ring_path, my->window, my->host->watch, my->host->fault);
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
    if (reload_look(&my->reload, &my->scoring, &why) == 0)
        return;
    warn(my->host, "score", "%s; the weights stay as they were", why.text);
}

/* The scores of another ranker. */
static enum outcome take_given(struct score *my, struct round *round)
{
    double *s = round_new_score(round, my->host->fault);
    return s && score_lines_next(&my->lines, round->docs, s, my->host->fault) == 0 ? PASS : FAIL;
}

static enum outcome each(void *self, struct round *round)
{
    struct score *my = self;
    struct fault *fault = my->host->fault, line = { FAULT_NONE, "" };
    if (my->given)
        return take_given(my, round);
    if (my->follows)
        look(my);
    if ((my->ring && catch_up(my) < 0) ||
        scoring_round(&my->scoring, round, ROUND_SCORE, &line, fault) < 0 ||
        (my->rival_model && scoring_round(&my->rival, round, ROUND_RIVAL, NULL, fault) < 0))
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
    (void)record;
    if (my->model || my->given)
        return PASS;
    return fault_data(my->host->fault, "the stream has a model: with -f, only rounds may come");
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
        score_lines_close(&my->lines);
    reload_close(&my->reload);
    scoring_close(&my->scoring);
    scoring_close(&my->rival);
    return result;
}

const struct filter score = {
    .name = "score",
    .usage = "[-r] [-R rival] [-d dim] -m model | -f ring [-w window] | -s scores",
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
