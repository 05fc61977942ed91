/* splice: moves bytes that a program does not look at from its input pipe to its output pipe, by
 * way of a pipe of its own. Linux does so without a copy. On other systems splice_open fails, and
 * all bytes are read and written. */
#ifndef RANKPIPE_SPLICE_H
#define RANKPIPE_SPLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct splice {
    const void *first; /* firsts bytes that were read already and come before those in the pipe;
                        * the caller's */
    size_t firsts;
    size_t held, room; /* bytes in the pipe, and the most that fit              */
    int out, in;       /* the ends of the own pipe: `out` is read from          */
    int from;          /* the pipe that has the bytes: `out`, or the input pipe */
};

/* Makes a pipe for bytes from `from` to `to`. False where the system cannot, as where one of them
 * is not a pipe; then there is nothing to close. */
bool splice_open(struct splice *spliced, int from, int to);
void splice_close(struct splice *spliced);

/* None of these waits. splice_leave leaves n bytes in the input pipe, for splice_give; false where
 * not all of them are there yet. The others return the number of bytes; 0 at the end of the input;
 * or -1 and errno, EAGAIN where nothing is there or no more fits. splice_take moves up to n bytes
 * from the input pipe to the own one. splice_copy copies them, so that they are still to be read.
 * splice_give moves all that is held to the output pipe. */
bool splice_leave(struct splice *spliced, int from, size_t n);
ssize_t splice_take(struct splice *spliced, int from, size_t n);
ssize_t splice_copy(struct splice *spliced, int from, size_t n);
ssize_t splice_give(struct splice *spliced, int to);

/* Reads up to n of the bytes held: their number, or -1 and errno. */
ssize_t splice_read(struct splice *spliced, void *bytes, size_t n);

/* Lends up to n bytes of a mapped file, which no one writes, to a pipe: their number, or -1 and
 * errno, EBADF or ENOSYS where it cannot be done. May wait. */
ssize_t splice_lend(int to, const void *bytes, size_t n);

/* Discards what is held. */
void splice_drop(struct splice *spliced);

#endif
