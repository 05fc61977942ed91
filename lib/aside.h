/* aside: bytes on their way from pipe to pipe that nobody here looks at, put by in a pipe of our
 * own. Linux moves them without a copy; elsewhere nothing is put aside, and all of it is read. */
#ifndef RANKPIPE_ASIDE_H
#define RANKPIPE_ASIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct aside {
    const void *first; /* bytes before those in the pipe, which had been read already; lent */
    size_t firsts;
    size_t held, room; /* bytes in the pipe, and how many there may be at the most          */
    int out, in;       /* its ends: `out` is read from                                      */
    int from;          /* where the bytes are: `out`, or still in the pipe they came by      */
};

/* For what goes from the one descriptor to the other. False where it cannot be done, as where one
 * of them is no pipe: then there is nothing to close. */
bool aside_open(struct aside *aside, int from, int to);
void aside_close(struct aside *aside);

/* Leaves n bytes in the pipe they came by, if all are there; false where they are not. Takes up to
 * n bytes out of it, or copies them: then they are still to be read there. Gives, into the other
 * pipe. None of them waits. The number of bytes; 0: there will be no more; -1: errno
 * says why, EAGAIN where nothing is there or no more fits. */
bool aside_leave(struct aside *aside, int from, size_t n);
ssize_t aside_take(struct aside *aside, int from, size_t n);
ssize_t aside_copy(struct aside *aside, int from, size_t n);
ssize_t aside_give(struct aside *aside, int to);

/* Reads up to n bytes of the pipe: their number, or -1 and errno. */
ssize_t aside_read(struct aside *aside, void *bytes, size_t n);

/* Lends a pipe up to n bytes of a file that is mapped, and nobody writes: their number, or -1 and
 * errno, EBADF or ENOSYS where it cannot be done. May wait. */
ssize_t aside_lend(int to, const void *bytes, size_t n);

/* Forgets what is there. */
void aside_drop(struct aside *aside);

#endif
