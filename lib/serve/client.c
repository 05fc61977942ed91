#include "serve/client.h"

#include <errno.h>
#include <poll.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { CHUNK = 16 * 1024 };

/* Counts parts of a text that end in a blank line: requests, or answers. */
struct parts {
    bool line, part; /* a byte of the line at hand is not blank; a line of the part is not */
    uint64_t whole;
};

struct client {
    struct parts asked, answered;
    const char *path;
    int fd, in, stop;
    bool ended;        /* `in` is at its end */
    size_t from, held; /* the bytes from..held of `bytes` are still to be sent */
    char bytes[CHUNK];
    struct writer *out;
};

static void count(struct parts *parts, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool blank = bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\r';
        if (bytes[i] != '\n') {
            parts->line = parts->line || !blank;
            continue;
        }
        parts->whole += !parts->line && parts->part;
        parts->part = parts->line; /* a part has no blank line before its last */
        parts->line = false;
    }
}

static int join(const char *path, struct fault *fault)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path)
        return fault_usage(fault, "the path of a socket has at most %zu bytes, not %zu",
                           sizeof address.sun_path - 1, strlen(path));
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    (void)fault_system(fault, "cannot connect to %s", path);
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Reads more to send, and at the end tells the service that no more comes. */
static int read_more(struct client *my, struct fault *fault)
{
    ssize_t got = read(my->in, my->bytes, sizeof my->bytes);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN ? 0
                                                 : fault_system(fault, "cannot read <stdin>");
    my->from = 0;
    my->held = (size_t)got;
    my->ended = got == 0;
    count(&my->asked, my->bytes, my->held);
    if (my->ended && shutdown(my->fd, SHUT_WR) < 0 && errno != ENOTCONN)
        return fault_system(fault, "cannot write to %s", my->path);
    return 0;
}

/* The service has closed the connection: 0 if it answered everything, or a fault. */
static int end_service(const struct client *my, struct fault *fault)
{
    uint64_t asked = my->asked.whole + (my->asked.part || my->asked.line);
    if (!my->ended)
        return fault_other(fault, "%s: the service closed the connection", my->path);
    if (my->answered.whole < asked)
        return fault_other(fault, "%s: the service closed the connection after %" PRIu64 " of %"
                           PRIu64 " answers", my->path, my->answered.whole, asked);
    if (my->asked.part || my->asked.line)
        return fault_data(fault, "<stdin>: no blank line ends the last request, so it was not "
                          "answered");
    return 0;
}

static int send_some(struct client *my, struct fault *fault)
{
    ssize_t put = send(my->fd, my->bytes + my->from, my->held - my->from, MSG_DONTWAIT);
    if (put < 0 && errno != EINTR && errno != EAGAIN && errno != EPIPE && errno != ECONNRESET)
        return fault_system(fault, "cannot write to %s", my->path);
    if (put < 0 && (errno == EPIPE || errno == ECONNRESET))
        my->from = my->held = 0; /* its last answer may still be read */
    my->from += put > 0 ? (size_t)put : 0;
    return 0;
}

/* Passes on what came: 1, 0 at the end, or a fault. */
static int receive(struct client *my, struct fault *fault)
{
    char bytes[CHUNK];
    ssize_t got = read(my->fd, bytes, sizeof bytes);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return 1;
    if (got <= 0)
        return end_service(my, fault);
    count(&my->answered, bytes, (size_t)got);
    if (writer_bytes(my->out, bytes, (size_t)got, fault) < 0 || writer_flush(my->out, fault) < 0)
        return -1;
    return 1;
}

/* Waits, and does what can be done: 1, 0 at the end, or a fault. */
static int turn(struct client *my, struct fault *fault)
{
    bool holds = my->from < my->held;
    struct pollfd polls[] = { { my->fd, (short)(POLLIN | (holds ? POLLOUT : 0)), 0 },
                              { holds || my->ended ? -1 : my->in, POLLIN, 0 },
                              { my->stop, POLLIN, 0 } };
    if (poll(polls, 3, -1) < 0)
        return errno == EINTR ? 1 : fault_system(fault, "cannot wait for %s", my->path);
    if (polls[2].revents)
        return fault_stopped(fault);
    if (polls[1].revents && read_more(my, fault) < 0) return -1;
    if ((polls[0].revents & POLLOUT) && send_some(my, fault) < 0) return -1;
    return polls[0].revents & ~POLLOUT ? receive(my, fault) : 1;
}

int client_run(const char *path, int in, int stop, struct writer *out, struct fault *fault)
{
    struct client my = { .path = path, .in = in, .stop = stop, .out = out };
    my.fd = join(path, fault);
    int result = my.fd < 0 ? -1 : 1;
    while (result > 0)
        result = turn(&my, fault);
    if (my.fd >= 0)
        close(my.fd);
    return result;
}
