/* listener: the socket at which clients connect. */
#ifndef RANKPIPE_LISTENER_H
#define RANKPIPE_LISTENER_H

#include <sys/types.h>

#include "base/fault.h"

struct listener {
    int fd;           /* -1: closed */
    const char *path; /* of a Unix socket that this listener made; NULL: it was passed one */
    dev_t device;     /* of that socket's file */
    ino_t inode;
};

/* Listens at a Unix socket of that path, which stays the caller's. A socket that nobody listens at
 * any more is replaced; the new one appears at once, and listening. "-" takes a listening socket
 * that the parent process passed: descriptor 3 if LISTEN_PID and LISTEN_FDS of systemd say so, else
 * descriptor 0. 0 or a fault; listener_close comes next in either case. */
int listener_open(struct listener *listener, const char *path, struct fault *fault);

/* The connection that waits longest, as a descriptor that does not block. Without one: -1 with
 * errno 0, or with that of a system that lacks descriptors or memory. */
int listener_accept(const struct listener *listener);

/* Stops listening, and removes the file of a socket that it made, unless another took its place. */
void listener_close(struct listener *listener);

/* Makes a descriptor non-blocking, and one that no child inherits. */
int listener_prepare(int fd);

#endif
