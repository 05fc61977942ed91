/* lock: a lock file, by which one process at a time writes something. */
#ifndef RANKPIPE_LOCK_H
#define RANKPIPE_LOCK_H

#include "base/fault.h"

/* Creates the lock file at `path`, where it is missing, and locks it, without waiting: 1, and *fd
 * is its descriptor; 0 where another process holds the lock; or a fault, without a place. The lock
 * ends with the process too. */
int lock_take(const char *path, int *fd, struct fault *fault);

/* Removes the lock file and ends the lock. */
void lock_release(const char *path, int fd);

#endif
