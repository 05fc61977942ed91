#include "io/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

/* Most waits are over sooner. Until then the output is not watched for a reader that is gone. */
enum { SOON = 20 }; /* milliseconds */

/* In a ring most waits take a few microseconds, and waking up on a core that went to sleep takes
 * several times as long. So before it sleeps, a wait yields and looks again this often; but once
 * where the programs share a core, as all others have had their turn then. */
enum { LOOKS = 30 };

enum { AT_FD, AT_STOP, AT_OUT, AT_SIDE, AT_ALL };

/* Nobody reads the output any more. A broken ring breaks the output too, so the ring is read to its
 * end first: its fault explains more. Returns -1. */
static int out_gone(struct watch *watch, struct fault *fault)
{
    struct pollfd side = { watch->side, POLLIN, 0 };
    while (watch->side >= 0 && poll(&side, 1, 0) > 0)
        if (watch->take(watch->self, fault) < 0) return -1;
    return fault_gone(fault);
}

long watch_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long)(time.tv_sec % 1000000) * 1000 + time.tv_nsec / 1000000;
}

int watch_ring(struct watch *watch, struct fault *fault)
{
    for (struct watch_alarm *alarm = watch->alarms; alarm; alarm = alarm->next)
        if (alarm->due >= 0 && watch_now() >= alarm->due && alarm->ring(alarm->self, fault) < 0)
            return -1;
    return 0;
}

/* The timeout of a wait without limit: until the next alarm, or -1. */
static int until_alarm(const struct watch *watch)
{
    long until = -1;
    for (const struct watch_alarm *alarm = watch->alarms; alarm; alarm = alarm->next) {
        long left = alarm->due < 0 ? -1 : alarm->due > watch_now() ? alarm->due - watch_now() : 0;
        if (left >= 0 && (until < 0 || left < until))
            until = left;
    }
    return until > INT_MAX ? INT_MAX : (int)until;
}

/* Polls once for all that is watched. The output is left out where the timeout is SOON: each time
 * its reader takes something, poll would return. */
static int look(struct watch *watch, int fd, short events, int timeout, struct fault *fault)
{
    bool out = timeout != SOON && watch->out && watch->out->fd != fd;
    struct pollfd at[AT_ALL] = {
        [AT_FD] = { fd, events, 0 },
        [AT_STOP] = { watch->stop, POLLIN, 0 },
        [AT_OUT] = { out ? watch->out->fd : -1, 0, 0 },
        [AT_SIDE] = { watch->side, POLLIN, 0 },
    };
    if (poll(at, AT_ALL, timeout) < 0)
        return errno == EINTR ? 0 : fault_system(fault, "cannot wait for input");
    if (at[AT_STOP].revents)
        return fault_stopped(fault);
    if (at[AT_SIDE].revents && watch->take(watch->self, fault) < 0) return -1;
    if (at[AT_OUT].revents & (POLLERR | POLLHUP))
        return out_gone(watch, fault);
    return at[AT_FD].revents ? 1 : 0;
}

/* Waits for that time, whatever else ends a poll before. */
static int look_for(struct watch *watch, int fd, int milliseconds, struct fault *fault)
{
    int ready;
    long end = milliseconds ? watch_now() + milliseconds : 0;
    do {
        ready = look(watch, fd, POLLIN, milliseconds, fault);
        milliseconds = milliseconds ? (int)(end - watch_now()) : 0;
    } while (ready == 0 && milliseconds > 0);
    return ready;
}

/* Is fd ready already? If not, or if it is likely to be ready only in `answer` to what is held,
 * that is written. */
static int flush_before(struct watch *watch, int fd, bool answer, struct fault *fault)
{
    bool holding = watch->out && watch->out->held > 0;
    int ready = holding && !answer ? look(watch, fd, POLLIN, 0, fault) : 0;
    return ready == 0 && holding ? watch->out->flush(watch->out, fault) : ready;
}

int watch_readable(struct watch *watch, int fd, int milliseconds, struct fault *fault)
{
    int ready = flush_before(watch, fd, false, fault);
    return ready == 0 ? look_for(watch, fd, milliseconds, fault) : ready;
}

/* The timeout of a wait that began at `from`: until the next alarm or the report that is due; -1:
 * no limit. */
static int until_due(const struct watch *watch, long from)
{
    int alarm = until_alarm(watch);
    if (!watch->slow || watch->slow->reported)
        return alarm;
    long left = from + WATCH_SLOW - watch_now();
    int report = left > 0 ? (int)left : 0;
    return alarm < 0 || report < alarm ? report : alarm;
}

/* Waits on, rings alarms, and reports what it waits for when that takes long. */
static int wait_on(struct watch *watch, int fd, const char *awaited, struct fault *fault)
{
    long from = watch_now();
    int ready = 0;
    while (ready == 0) {
        if (watch->alarms && watch_ring(watch, fault) < 0) return -1;
        ready = look(watch, fd, POLLIN, until_due(watch, from), fault);
        struct slow *slow = watch->slow;
        if (ready == 0 && slow && !slow->reported &&
            watch_now() - from >= WATCH_SLOW) {
            slow->reported = true;
            slow->report(slow, awaited);
        }
    }
    return ready;
}

/* Goes to the core that the input names, if any. */
static void follow(struct watch *watch, int fd)
{
    long now = watch_now();
    if (now != watch->followed && !watch->leads)
        core_follow(&watch->core, fd, watch->out ? watch->out->fd : -1);
    watch->followed = now;
}

int watch_input(struct watch *watch, int fd, bool answer, const char *awaited, struct fault *fault)
{
    int ready = flush_before(watch, fd, answer, fault);
    if (ready == 0)
        follow(watch, fd);
    int looks = watch->core.at ? 1 : LOOKS; /* others wait for this core */
    for (int i = 0; ready == 0 && i < looks; i++) {
        (void)sched_yield();
        ready = look(watch, fd, POLLIN, 0, fault);
    }
    if (ready == 0)
        ready = look(watch, fd, POLLIN, SOON, fault);
    return ready == 0 ? wait_on(watch, fd, awaited, fault) : ready;
}

int watch_stopped(const struct watch *watch, int milliseconds, struct fault *fault)
{
    int ready;
    struct pollfd stop = { watch->stop, POLLIN, 0 };
    if (watch->stop < 0)
        return 0;
    do
        ready = poll(&stop, 1, milliseconds);
    while (ready < 0 && errno == EINTR);
    return ready > 0 ? fault_stopped(fault) : 0;
}

int long_work_look(struct long_work *work, struct fault *fault)
{
    work->steps = 0;
    work->stopped = work->stopped ||
                    (work->watch && watch_stopped(work->watch, 0, fault) < 0);
    return work->stopped ? fault_stopped(fault) : 0;
}

int watch_writable(struct watch *watch, int fd, struct fault *fault)
{
    int ready;
    do
        ready = look(watch, fd, POLLOUT, -1, fault);
    while (ready == 0);
    return ready < 0 ? -1 : 0;
}

int watch_open(const struct watch *watch, const char *path, int flags, mode_t mode,
               struct fault *fault)
{
    int fd;
    do
        fd = open(path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR && (!watch || watch_stopped(watch, 0, fault) == 0));
    return fd;
}

int watch_close(int fd)
{
    return close(fd) < 0 && errno != EINTR ? -1 : 0;
}
