/* watch: waits for input or output, and meanwhile watches signals, a ring, and whether the output
 * is still read. */
#ifndef RANKPIPE_WATCH_H
#define RANKPIPE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"
#include "io/cpu_core.h"

/* Output that a program has buffered and not written yet. */
struct pending {
    int fd;
    size_t held; /* bytes in memory */
    int (*flush)(struct pending *pending, struct fault *fault);
};

/* Something that is due at a time, also while a program waits. */
struct watch_alarm {
    long due; /* in milliseconds, as watch_now has them; -1: not set */
    int (*ring)(void *self, struct fault *fault); /* sets `due` anew, or -1; 0 or a fault */
    void *self;
    struct watch_alarm *next; /* of the watch; NULL: the last */
};

/* What is watched during every wait. There is one for each chain of filters. All of it is the
 * caller's. */
struct watch {
    struct pending *out; /* flushed before a wait, and watched: FAULT_GONE if nobody reads it any
                          * more; NULL: no output */
    int stop;            /* a descriptor that is readable after a signal asked to stop, which is
                          * FAULT_STOPPED; -1: none */
    int side;            /* a descriptor, of the ring, from which `take` reads whenever it has
                          * something; -1: none */
    bool eager;          /* `take` also while output blocks, not only while input does */
    int (*take)(void *self, struct fault *fault); /* 0 or a fault, which ends the wait */
    void *self;
    struct slow *slow;   /* whom to tell of a long wait; NULL: nobody */
    struct core core;    /* where the program waits                                             */
    bool leads;          /* core_follow is not for this program                                 */
    long followed;       /* when it was last called, by watch_now                               */
    struct watch_alarm *alarms; /* rung when they are due, while input is waited for; NULL: none */
};

/* Reports a wait for input that has taken WATCH_SLOW, once in a run. */
struct slow {
    void (*report)(const struct slow *slow, const char *awaited);
    void *self; /* the reporter's */
    bool reported;
};
enum { WATCH_SLOW = 10000 }; /* milliseconds */

/* Milliseconds since some moment in the past. */
long watch_now(void);

/* A watch that watches nothing yet. */
#define WATCH_NOTHING ((struct watch){ .stop = -1, .side = -1 })

/* Rings the alarms that are due: for a program that waits by itself. 0 or a fault. */
int watch_ring(struct watch *watch, struct fault *fault);

/* Waits until `fd` can be read (-1: for nothing), for at most so many milliseconds. 1; 0 if it
 * cannot be read by then; or a fault. */
int watch_readable(struct watch *watch, int fd, int milliseconds, struct fault *fault);

/* The same without a limit: 1 or a fault. With `answer` the input is likely to come only in answer
 * to what is held, which is written without looking whether it is there. `awaited` is what is
 * waited for, as in "still waiting for <stdin>". The program may change its core (cpu_core.h). */
int watch_input(struct watch *watch, int fd, bool answer, const char *awaited, struct fault *fault);

/* Waits until `fd` can be written, at least PIPE_BUF bytes where it is a pipe. 0 or a fault. */
int watch_writable(struct watch *watch, int fd, struct fault *fault);

/* Waits at most so many milliseconds for a signal that asks to stop. 0, or FAULT_STOPPED. */
int watch_stopped(const struct watch *watch, int milliseconds, struct fault *fault);

/* ^C stops the other programs of a pipeline too, and this program may see their end before its own
 * signal. Before it reports that they are gone, it waits this long for the signal. */
enum { WATCH_GRACE = 20 }; /* milliseconds */

/* A long computation, which must not keep a program from ending when a signal asks for it. */
struct long_work {             /* all zero at first: nothing is watched */
    const struct watch *watch; /* the caller's; NULL: the work is never stopped            */
    uint64_t steps;            /* of a few nanoseconds each, since the signal was asked for */
    bool stopped;              /* a signal asked to stop: the result is good for nothing   */
};
enum { WORK_STEPS = 1 << 22 };

int long_work_look(struct long_work *work, struct fault *fault);

/* Adds steps to the work, and every 2^22 of them asks whether a signal came: 0 or FAULT_STOPPED. */
static inline int long_work(struct long_work *work, size_t steps, struct fault *fault)
{
    work->steps += steps;
    return work->steps < WORK_STEPS ? 0 : long_work_look(work, fault);
}

/* The same for what has no fault to report: whether the work goes on. work NULL: always. */
static inline bool long_work_goes_on(struct long_work *work, size_t steps)
{
    struct fault none;
    if (!work)
        return true;
    none.kind = FAULT_NONE;
    return long_work(work, steps, &none) == 0;
}

/* Opens a file as open() does. Where a signal interrupts it, tries again, unless that signal asked
 * to stop; watch NULL: always. A descriptor; or -1, with errno, or with FAULT_STOPPED. */
int watch_open(const struct watch *watch, const char *path, int flags, mode_t mode,
               struct fault *fault);

/* Closes a descriptor that was written to: 0, or -1 with errno. An interrupting signal is not a
 * failure: the descriptor is closed, and the data was handed to the system. */
int watch_close(int fd);

#endif
