/* lock: a lock file, by which one process at a time writes something. */
#ifndef RANKPIPE_LOCK_H
#define RANKPIPE_LOCK_H

#include "base/fault.h"

enum lock_result { LOCK_TAKEN, LOCK_HELD, LOCK_NOT_CREATED, LOCK_FAILED };

/* Creates the lock file at `path`, where it is missing, and locks it, without waiting: *fd is then
 * its descriptor. LOCK_HELD: another process holds the lock. LOCK_NOT_CREATED, LOCK_FAILED: the
 * system refused to create or to lock the file, by errno. The lock ends with the process too. */
enum lock_result lock_take(const char *path, int *fd, struct fault *fault);

/* Removes the lock file and ends the lock. */
void lock_release(const char *path, int fd);

#endif
