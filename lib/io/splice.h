/* splice: bytes on their way from pipe to pipe that nobody here looks at, put by in a pipe of our
 * own. Linux moves them without a copy; elsewhere nothing is put aside, and all of it is read. */
#ifndef RANKPIPE_SPLICE_H
#define RANKPIPE_SPLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct splice {
    const void *first; /* bytes before those in the pipe, which had been read already; lent */
    size_t firsts;
    size_t held, room; /* bytes in the pipe, and how many there may be at the most          */
    int out, in;       /* its ends: `out` is read from                                      */
    int from;          /* where the bytes are: `out`, or still in the pipe they came by      */
};

/* For what goes from the one descriptor to the other. False where it cannot be done, as where one
 * of them is no pipe: then there is nothing to close. */
bool splice_open(struct splice *spliced, int from, int to);
void splice_close(struct splice *spliced);

/* Leaves n bytes in the pipe they came by, if all are there; false where they are not. Takes up to
 * n bytes out of it, or copies them: then they are still to be read there. Gives, into the other
 * pipe. None of them waits. The number of bytes; 0: there will be no more; -1: errno
 * says why, EAGAIN where nothing is there or no more fits. */
bool splice_leave(struct splice *spliced, int from, size_t n);
ssize_t splice_take(struct splice *spliced, int from, size_t n);
ssize_t splice_copy(struct splice *spliced, int from, size_t n);
ssize_t splice_give(struct splice *spliced, int to);

/* Reads up to n bytes of the pipe: their number, or -1 and errno. */
ssize_t splice_read(struct splice *spliced, void *bytes, size_t n);

/* Lends a pipe up to n bytes of a file that is mapped, and nobody writes: their number, or -1 and
 * errno, EBADF or ENOSYS where it cannot be done. May wait. */
ssize_t splice_lend(int to, const void *bytes, size_t n);

/* Forgets what is there. */
void splice_drop(struct splice *spliced);

#endif
