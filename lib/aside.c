#ifdef __linux__
#define _GNU_SOURCE /* splice, tee, vmsplice, pipe2 */
#endif
#include "aside.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#ifdef __linux__

/* As much as any process may ask for. It is a number of pages, and a piece of one byte takes one:
 * of what comes in small pieces less fits. */
enum { ROOM = 1024 * 1024 };

static bool is_pipe(int fd)
{
    struct stat is;
    return fstat(fd, &is) == 0 && S_ISFIFO(is.st_mode);
}

bool aside_open(struct aside *aside, int from, int to)
{
    int ends[2];
    if (!is_pipe(from) || !is_pipe(to) || pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return false;
    (void)fcntl(ends[1], F_SETPIPE_SZ, ROOM);
    int room = fcntl(ends[1], F_GETPIPE_SZ);
    *aside = (struct aside){ .room = room > 0 ? (size_t)room : 0, .out = ends[0], .in = ends[1] };
    return true;
}

bool aside_leave(struct aside *aside, int from, size_t n)
{
    int there;
    if (ioctl(from, FIONREAD, &there) < 0 || there < 0 || (size_t)there < n)
        return false;
    aside->held = n;
    aside->from = from;
    return true;
}

static ssize_t held_more(struct aside *aside, ssize_t bytes)
{
    aside->from = aside->out;
    aside->held += bytes > 0 ? (size_t)bytes : 0;
    return bytes;
}

static ssize_t held_less(struct aside *aside, ssize_t bytes)
{
    aside->held -= bytes > 0 ? (size_t)bytes : 0;
    return bytes;
}

ssize_t aside_take(struct aside *aside, int from, size_t n)
{
    return held_more(aside, splice(from, NULL, aside->in, NULL, n, SPLICE_F_NONBLOCK));
}

ssize_t aside_copy(struct aside *aside, int from, size_t n)
{
    return held_more(aside, tee(from, aside->in, n, SPLICE_F_NONBLOCK));
}

ssize_t aside_give(struct aside *aside, int to)
{
    ssize_t gave = splice(aside->from, NULL, to, NULL, aside->held, SPLICE_F_NONBLOCK);
    if (gave == 0)
        errno = EIO; /* somebody else has read them */
    return held_less(aside, gave ? gave : -1);
}

ssize_t aside_read(struct aside *aside, void *bytes, size_t n)
{
    return held_less(aside, read(aside->from, bytes, n));
}

ssize_t aside_lend(int to, const void *bytes, size_t n)
{
    struct iovec piece = { (void *)bytes, n };
    return vmsplice(to, &piece, 1, 0);
}

void aside_close(struct aside *aside)
{
    close(aside->out);
    close(aside->in);
}

#else

bool aside_open(struct aside *aside, int from, int to)
{
    (void)aside, (void)from, (void)to;
    return false;
}

bool aside_leave(struct aside *aside, int from, size_t n)
{
    (void)aside, (void)from, (void)n;
    return false;
}

static ssize_t nothing(void)
{
    errno = ENOSYS;
    return -1;
}

ssize_t aside_take(struct aside *aside, int from, size_t n)
{
    (void)aside, (void)from, (void)n;
    return nothing();
}

ssize_t aside_copy(struct aside *aside, int from, size_t n)
{
    (void)aside, (void)from, (void)n;
    return nothing();
}

ssize_t aside_give(struct aside *aside, int to)
{
    (void)aside, (void)to;
    return nothing();
}

ssize_t aside_read(struct aside *aside, void *bytes, size_t n)
{
    (void)aside, (void)bytes, (void)n;
    return nothing();
}

ssize_t aside_lend(int to, const void *bytes, size_t n)
{
    (void)to, (void)bytes, (void)n;
    return nothing();
}

void aside_close(struct aside *aside)
{
    (void)aside;
}

#endif

void aside_drop(struct aside *aside)
{
    char bytes[4096];
    size_t n = sizeof bytes;
    while (aside->held && aside_read(aside, bytes, aside->held < n ? aside->held : n) > 0)
        ;
    aside->held = 0;
}
