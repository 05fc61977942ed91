/* wait: waiting for input and output, while signals, a side channel and our reader are watched. */
#ifndef RANKPIPE_WAIT_H
#define RANKPIPE_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/fault.h"

/* Bytes that a program has still to write. */
struct pending {
    int fd;
    size_t held; /* bytes in memory */
    int (*flush)(struct pending *pending, struct fault *fault);
};

/* What a program minds whenever it waits. One for each chain of filters; everything lent. */
struct watch {
    struct pending *out;/* flushed before a wait, and watched: if nobody is left to read it,
                         * that is FAULT_GONE; NULL: none                                   */
    int stop;           /* a descriptor that is readable once a signal asked to stop, which
                         * is FAULT_STOPPED; -1: none                                       */
    int side;           /* a descriptor to be taken from whenever it has something; -1: none */
    bool eager;         /* take from it while output blocks too, not just while input does  */
    int (*take)(void *self, struct fault *fault);
    void *self;
};

/* A watch that minds nothing yet. */
#define WATCH_NOTHING ((struct watch){ .stop = -1, .side = -1 })

/* Waits until `fd` can be read, at most so many milliseconds (-1: for ever). 1, 0 when the time is
 * over, or a fault. */
int watch_readable(struct watch *watch, int fd, int milliseconds, struct fault *fault);

/* Waits until `fd` can be written, at least PIPE_BUF bytes where it is a pipe. 0, or a fault. */
int watch_writable(struct watch *watch, int fd, struct fault *fault);

/* Has a signal asked to stop, or does it within so many milliseconds? 0, or FAULT_STOPPED. */
int watch_stopped(const struct watch *watch, int milliseconds, struct fault *fault);

/* ^C stops the programs around us too, and that they are gone may be heard before the signal is:
 * who finds them gone looks for it so long. */
enum { WATCH_GRACE = 20 }; /* milliseconds */

/* Opens a file, as open does, and again where a signal came between that asks for nothing (`watch`
 * NULL: whatever it asks for). A descriptor; or -1, with errno, or with FAULT_STOPPED. */
int watch_open(const struct watch *watch, const char *path, int flags, mode_t mode,
               struct fault *fault);

/* Closes what was written to: 0, or -1 with errno. A signal that came between is no failure: the
 * descriptor is gone, and what was written is on its way. */
int watch_close(int fd);

#endif
