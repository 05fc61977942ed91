/* reload: scoring by a model's file, and by each new one that is renamed over it.
 *
 * A new file of more than RELOAD_BESIDE bytes, or a patch, is read by a thread, which frees the old
 * model too, while rounds go on being scored: 10^7 pairs of memory take 100 ms, or as long as the
 * disk takes. A thread runs only then, and touches nothing but its struct reload_work. */
#ifndef RANKPIPE_RELOAD_H
#define RANKPIPE_RELOAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/fault.h"
#include "io/watch.h"
#include "learn/scoring.h"

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

/* Scores by the model in the file from now on. `reload` is all zero; it must not move, and path and
 * watch stay the caller's. 0, or a fault; reload_close comes next in either case. */
int reload_open(struct reload *reload, const char *path, const struct watch *watch,
                struct scoring *scoring, struct fault *fault);

/* If the path names another file than before, scores by that one from now on; or from a later call
 * on, if it is read beside the rounds. 0; or -1 with the reason in `why`, which must be FAULT_NONE
 * before: then scoring is as it was. Each problem is reported once. Costs one stat, if no model is
 * being read. */
int reload_look(struct reload *reload, struct scoring *scoring, struct fault *why);

/* The same for a file that need not be there, from the first call on, without reload_open: while
 * there is none, `scoring` has no model, and its learner is NULL. */
int reload_look_for(struct reload *reload, const char *path, const struct watch *watch,
                    struct scoring *scoring, struct fault *why);

/* Waits for its thread. */
void reload_close(struct reload *reload);

#endif
