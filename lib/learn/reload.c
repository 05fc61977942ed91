#include "learn/reload.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "model/model_file.h"

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

int reload_open(struct reload *reload, const char *path, const struct watch *watch,
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

/* A patch is one of a large model. */
static bool is_large(const struct reload *reload)
{
    static const char patch[] = "rankpipe/1 patch ";
    char start[sizeof patch - 1];
    return reload->is.st_size > RELOAD_BESIDE ||
           (pread(reload->fd, start, sizeof start, 0) == (ssize_t)sizeof start &&
            memcmp(start, patch, sizeof start) == 0);
}

int reload_look(struct reload *reload, struct scoring *scoring, struct fault *why)
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
    return is_large(reload) ? begin(reload, scoring, why) : read_model(reload, scoring, why);
}

int reload_look_for(struct reload *reload, const char *path, const struct watch *watch,
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

void reload_close(struct reload *reload)
{
    if (reload->work.runs)
        (void)pthread_join(reload->work.thread, NULL);
    reload->work.runs = false;
    scoring_close(&reload->work.scoring);
    if (reload->fd >= 0)
        close(reload->fd);
    reload->fd = -1;
}
