#ifdef __linux__
#define _GNU_SOURCE /* sched_getcpu, sched_getaffinity, sched_setaffinity */
#endif
#include "io/cpu_core.h"

#ifdef __linux__

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How long the leader stays, in milliseconds. */
enum { STAY = 300 };

static bool is_pipe(int fd)
{
    struct stat is;
    return fd >= 0 && fstat(fd, &is) == 0 && S_ISFIFO(is.st_mode);
}

static cpu_set_t only(int at)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET((size_t)at - 1, &cores);
    return cores;
}

/* Stays there; 0: is free again. What the user asked for meanwhile, by taskset say, holds. */
static void stay(struct core *core, int at)
{
    cpu_set_t now, next, before;
    _Static_assert(sizeof now == sizeof core->cores, "a set of cores has 1024 bits");
    if (sched_getaffinity(0, sizeof now, &now) < 0)
        return;
    before = core->at ? only(core->at) : now;
    if (!core->at || !CPU_EQUAL(&now, &before))
        memcpy(core->cores, &now, sizeof now);
    memcpy(&next, core->cores, sizeof next);
    if (at && (at > CPU_SETSIZE || !CPU_ISSET((size_t)at - 1, &next)))
        at = 0;
    if (at)
        next = only(at);
    if ((at || core->at) && sched_setaffinity(0, sizeof next, &next) == 0)
        core->at = at;
}

static void lock(int out, short type, int at)
{
    struct flock byte = { .l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1 };
    (void)fcntl(out, F_SETLK, &byte);
}

static void name(struct core *core, int out, int at)
{
    if (at == core->named || !is_pipe(out))
        return;
    if (core->named)
        lock(out, F_UNLCK, core->named);
    if (at)
        lock(out, F_WRLCK, at);
    core->named = at;
}

void core_lead(struct core *core, int out, long now)
{
    if (now == core->since || (core->at && now - core->since < STAY))
        return;
    stay(core, core->at ? 0 : sched_getcpu() + 1);
    if (core->at)
        name(core, out, core->at);
    core->since = now;
}

void core_follow(struct core *core, int in, int out)
{
    struct flock byte = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
    if (!is_pipe(in) || fcntl(in, F_GETLK, &byte) < 0)
        return;
    int at = byte.l_type == F_UNLCK ? 0 : (int)byte.l_start;
    if (at != core->at)
        stay(core, at);
    name(core, out, at);
}

#else

void core_lead(struct core *core, int out, long now)
{
    (void)core, (void)out, (void)now;
}

void core_follow(struct core *core, int in, int out)
{
    (void)core, (void)in, (void)out;
}

#endif
