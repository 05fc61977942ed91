#include "io/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/watch.h"

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
