/* hold: a shim for LD_PRELOAD, under which a file of more than 1 MiB is mapped only while the file
 * $HOLD.map does not exist, and memory of that size unmapped only while $HOLD.unmap does not. The
 * file $HOLD.waits is made when someone waits for that. */
#ifdef __linux__
#define _GNU_SOURCE /* RTLD_NEXT */

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { LARGE = 1 << 20 };

static void hold(const char *what)
{
    const struct timespec pause = { 0, 10000000 };
    const char *name = getenv("HOLD");
    char gate[200], waits[200];
    snprintf(gate, sizeof gate, "%s.%s", name ? name : "", what);
    if (!name || access(gate, F_OK) < 0)
        return;
    snprintf(waits, sizeof waits, "%s.waits", name);
    close(open(waits, O_WRONLY | O_CREAT, 0600));
    while (access(gate, F_OK) == 0)
        nanosleep(&pause, NULL);
}

void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    void *(*next)(void *, size_t, int, int, int, off_t);
    *(void **)&next = dlsym(RTLD_NEXT, "mmap");
    if (fd >= 0 && bytes > LARGE)
        hold("map");
    return next(at, bytes, protection, flags, fd, offset);
}

int munmap(void *at, size_t bytes)
{
    int (*next)(void *, size_t);
    *(void **)&next = dlsym(RTLD_NEXT, "munmap");
    if (bytes > LARGE)
        hold("unmap");
    return next(at, bytes);
}
#endif
