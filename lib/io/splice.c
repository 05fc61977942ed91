#ifdef __linux__
#define _GNU_SOURCE /* splice, tee, pipe2 */
#endif
#include "io/splice.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__

/* The largest pipe that any process may ask for. It counts pages, and a piece of one byte takes a
 * page: where bytes come in small pieces, fewer fit. */
enum { ROOM = 1024 * 1024 };

/* Makes a pipe. The bytes that it holds, or -1. */
static int make_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) return -1;
    (void)fcntl(ends[1], F_SETPIPE_SZ, ROOM);
    return fcntl(ends[1], F_GETPIPE_SZ);
}

static ssize_t move(int from, int to, size_t n, bool copies)
{
    return copies ? tee(from, to, n, SPLICE_F_NONBLOCK)
                  : splice(from, NULL, to, NULL, n, SPLICE_F_NONBLOCK);
}

#else

static int make_pipe(int ends[2])
{
    (void)ends;
    return -1;
}

static ssize_t move(int from, int to, size_t n, bool copies)
{
    (void)from, (void)to, (void)n, (void)copies;
    return -1;
}

#endif

static bool is_pipe(int fd)
{
    struct stat is;
    return fstat(fd, &is) == 0 && S_ISFIFO(is.st_mode);
}

bool splice_open(struct splice *spliced, int from, int to)
{
    int ends[2], room = is_pipe(from) && is_pipe(to) ? make_pipe(ends) : -1;
    if (room < 0)
        return false;
    *spliced = (struct splice){ .room = (size_t)room, .out = ends[0], .in = ends[1] };
    return true;
}

ssize_t splice_take(struct splice *spliced, int from, size_t n, bool copies)
{
    ssize_t took = move(from, spliced->in, n, copies);
    spliced->held += took > 0 ? (size_t)took : 0;
    return took;
}

static ssize_t held_less(struct splice *spliced, ssize_t bytes)
{
    spliced->held -= bytes > 0 ? (size_t)bytes : 0;
    return bytes;
}

ssize_t splice_give(struct splice *spliced, int to)
{
    return held_less(spliced, move(spliced->out, to, spliced->held, false));
}

ssize_t splice_read(struct splice *spliced, void *bytes, size_t n)
{
    return held_less(spliced, read(spliced->out, bytes, n));
}

void splice_close(struct splice *spliced)
{
    close(spliced->out);
    close(spliced->in);
}

void splice_drop(struct splice *spliced)
{
    char bytes[4096];
    size_t n = sizeof bytes;
    while (spliced->held && splice_read(spliced, bytes, spliced->held < n ? spliced->held : n) > 0)
        ;
    spliced->held = 0;
}
