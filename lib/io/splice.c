#ifdef __linux__
#define _GNU_SOURCE /* splice, tee, vmsplice, pipe2 */
#endif
#include "io/splice.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#ifdef __linux__

/* The largest pipe that any process may ask for. It counts pages, and a piece of one byte takes a
 * page: where bytes come in small pieces, fewer fit. */
enum { ROOM = 1024 * 1024 };

static bool is_pipe(int fd)
{
    struct stat is;
    return fstat(fd, &is) == 0 && S_ISFIFO(is.st_mode);
}

bool splice_open(struct splice *spliced, int from, int to)
{
    int ends[2];
    if (!is_pipe(from) || !is_pipe(to) || pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return false;
    (void)fcntl(ends[1], F_SETPIPE_SZ, ROOM);
    int room = fcntl(ends[1], F_GETPIPE_SZ);
    *spliced =
        (struct splice){ .room = room > 0 ? (size_t)room : 0, .out = ends[0], .in = ends[1] };
    return true;
}

bool splice_leave(struct splice *spliced, int from, size_t n)
{
    int there;
    if (ioctl(from, FIONREAD, &there) < 0 || there < 0 || (size_t)there < n)
        return false;
    spliced->held = n;
    spliced->from = from;
    return true;
}

static ssize_t held_more(struct splice *spliced, ssize_t bytes)
{
    spliced->from = spliced->out;
    spliced->held += bytes > 0 ? (size_t)bytes : 0;
    return bytes;
}

static ssize_t held_less(struct splice *spliced, ssize_t bytes)
{
    spliced->held -= bytes > 0 ? (size_t)bytes : 0;
    return bytes;
}

ssize_t splice_take(struct splice *spliced, int from, size_t n)
{
    return held_more(spliced, splice(from, NULL, spliced->in, NULL, n, SPLICE_F_NONBLOCK));
}

ssize_t splice_copy(struct splice *spliced, int from, size_t n)
{
    return held_more(spliced, tee(from, spliced->in, n, SPLICE_F_NONBLOCK));
}

ssize_t splice_give(struct splice *spliced, int to)
{
    ssize_t gave = splice(spliced->from, NULL, to, NULL, spliced->held, SPLICE_F_NONBLOCK);
    if (gave == 0)
        errno = EIO; /* another process has read them */
    return held_less(spliced, gave ? gave : -1);
}

ssize_t splice_read(struct splice *spliced, void *bytes, size_t n)
{
    return held_less(spliced, read(spliced->from, bytes, n));
}

ssize_t splice_lend(int to, const void *bytes, size_t n)
{
    struct iovec piece = { (void *)bytes, n };
    return vmsplice(to, &piece, 1, 0);
}

void splice_close(struct splice *spliced)
{
    close(spliced->out);
    close(spliced->in);
}

#else

bool splice_open(struct splice *spliced, int from, int to)
{
    (void)spliced, (void)from, (void)to;
    return false;
}

bool splice_leave(struct splice *spliced, int from, size_t n)
{
    (void)spliced, (void)from, (void)n;
    return false;
}

static ssize_t nothing(void)
{
    errno = ENOSYS;
    return -1;
}

ssize_t splice_take(struct splice *spliced, int from, size_t n)
{
    (void)spliced, (void)from, (void)n;
    return nothing();
}

ssize_t splice_copy(struct splice *spliced, int from, size_t n)
{
    (void)spliced, (void)from, (void)n;
    return nothing();
}

ssize_t splice_give(struct splice *spliced, int to)
{
    (void)spliced, (void)to;
    return nothing();
}

ssize_t splice_read(struct splice *spliced, void *bytes, size_t n)
{
    (void)spliced, (void)bytes, (void)n;
    return nothing();
}

ssize_t splice_lend(int to, const void *bytes, size_t n)
{
    (void)to, (void)bytes, (void)n;
    return nothing();
}

void splice_close(struct splice *spliced)
{
    (void)spliced;
}

#endif

void splice_drop(struct splice *spliced)
{
    char bytes[4096];
    size_t n = sizeof bytes;
    while (spliced->held && splice_read(spliced, bytes, spliced->held < n ? spliced->held : n) > 0)
        ;
    spliced->held = 0;
}
