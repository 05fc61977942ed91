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
    size_t held, room; /* bytes in the pipe, and the most that fit */
    int out, in;       /* its ends: `out` is read from             */
};

/* Makes a pipe for bytes from `from` to `to`. False where the system cannot, as where one of them
 * is not a pipe; then there is nothing to close. */
bool splice_open(struct splice *spliced, int from, int to);
void splice_close(struct splice *spliced);

/* Neither waits. Both return the number of bytes; 0 at the end of the input; or -1 and errno,
 * EAGAIN where nothing is there or no more fits. splice_take moves up to n bytes from the input
 * pipe to the own one; or `copies` them, so that they are still to be read. splice_give moves all
 * that is held to the output pipe. */
ssize_t splice_take(struct splice *spliced, int from, size_t n, bool copies);
ssize_t splice_give(struct splice *spliced, int to);

/* Reads up to n of the bytes held: their number, or -1 and errno. */
ssize_t splice_read(struct splice *spliced, void *bytes, size_t n);

/* Discards what is held. */
void splice_drop(struct splice *spliced);

#endif
