#include "io/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/watch.h"

int sync_file(int fd)
{
    int result;
    do
        result = fsync(fd);
    while (result < 0 && errno == EINTR);
    return result;
}

int sync_folder(const char *folder)
{
    struct fault ignored = { FAULT_NONE, "" };
    int fd = watch_open(NULL, folder, O_RDONLY | O_DIRECTORY, 0, &ignored);
    if (fd < 0)
        return errno == EACCES ? 0 : -1;
    bool failed = sync_file(fd) < 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT);
    int why = errno;
    close(fd);
    errno = why;
    return failed ? -1 : 0;
}

int sync_folder_of(const char *path)
{
    size_t n = strlen(path);
    while (n > 0 && path[n - 1] == '/')
        n--;
    while (n > 0 && path[n - 1] != '/')
        n--;
    char *folder = n > 0 ? strndup(path, n) : strdup(".");
    int result = folder ? sync_folder(folder) : -1;
    free(folder);
    return result;
}

/* Is the open lock file still the one at its path? If its holder removed it after it was opened, it
 * locks nothing. 1, 0, or -1 and errno. */
static int is_same_file(int fd, const char *path)
{
    struct stat held, there;
    if (fstat(fd, &held) < 0) return -1;
    if (stat(path, &there) < 0)
        return errno == ENOENT ? 0 : -1;
    return held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

int lock_take(const char *path, int *fd, struct fault *fault)
{
    for (;;) {
        *fd = watch_open(NULL, path, O_RDWR | O_CREAT | O_NOFOLLOW, 0666, fault);
        if (*fd < 0)
            return fault_system(fault, "cannot create its lock file %s", path);
        int locked = flock(*fd, LOCK_EX | LOCK_NB);
        int same = locked < 0 ? -1 : is_same_file(*fd, path), why = errno;
        if (same > 0)
            return 1;
        if (locked == 0 && same < 0)
            unlink(path);
        close(*fd);
        *fd = -1;
        errno = why;
        if (locked < 0 && why == EWOULDBLOCK)
            return 0;
        if (same < 0)
            return fault_system(fault, "cannot lock %s", path);
    }
}

void lock_release(const char *path, int fd)
{
    unlink(path);
    close(fd);
}
