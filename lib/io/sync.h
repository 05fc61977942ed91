/* sync: makes the system write files and folders to the disk. */
#ifndef RANKPIPE_SYNC_H
#define RANKPIPE_SYNC_H

#include "base/fault.h"

/* fsync, tried again where a signal interrupts it: 0, or -1 and errno. */
int sync_file(int fd);

/* Syncs a folder, so that a new name in it is on the disk too: 0, or -1 and errno. A file system
 * that cannot do so, and a folder that may not be read, are not failures; an error of the disk is
 * one. */
int sync_folder(const char *folder);

/* The same for the folder that holds `path`, which may end with slashes: 0, or -1 and errno. */
int sync_folder_of(const char *path);

/* A lock file, by which one process at a time writes something. */

/* Creates the lock file at `path`, where it is missing, and locks it, without waiting: 1, and *fd
 * is its descriptor; 0 where another process holds the lock; or a fault, without a place. The lock
 * ends with the process too. */
int lock_take(const char *path, int *fd, struct fault *fault);

/* Removes the lock file and ends the lock. */
void lock_release(const char *path, int fd);

#endif
