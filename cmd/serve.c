/* serve: answers many clients at a socket by one pipeline, and numbers their rounds. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/system.h"
#include "pipeline.h"
#include "programs.h"
#include "say.h"
#include "serve/server.h"

/* Sends requests to a service, and passes on its answers. */

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

/* Passes on what came: 1, 0 at the end, or a fault. */
static int receive(struct client *my, struct fault *fault)
{
    char bytes[CHUNK];
    ssize_t got = read(my->fd, bytes, sizeof bytes);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return 1;
    if (got <= 0) {
        /* The service has closed the connection. Did it answer everything? */
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
    if ((polls[0].revents & POLLOUT)) {
        ssize_t put = send(my->fd, my->bytes + my->from, my->held - my->from, MSG_DONTWAIT);
        if (put < 0 && errno != EINTR && errno != EAGAIN && errno != EPIPE && errno != ECONNRESET)
            return fault_system(fault, "cannot write to %s", my->path);
        if (put < 0 && (errno == EPIPE || errno == ECONNRESET))
            my->from = my->held = 0; /* its last answer may still be read */
        my->from += put > 0 ? (size_t)put : 0;
    }
    return polls[0].revents & ~POLLOUT ? receive(my, fault) : 1;
}

/* Connects to the Unix socket `path`. Sends what comes from `in` until its end, and writes what the
 * service answers until it closes the connection. 0; FAULT_STOPPED if `stop` became readable (-1:
 * it does not); or another fault, also where the service left before it answered everything, or
 * where no blank line ended the last request. */
static int client_run(const char *path, int in, int stop, struct writer *out, struct fault *fault)
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

enum { CLIENTS_MOST = 100000, SPARE = 64 /* descriptors besides those of clients */ };
#define BYTES_MOST ((uint64_t)1 << 30)

struct serve {
    struct host *host;
    const char *path;
    bool asks; /* is a client */
    struct pipeline pipeline;
    struct watch watch; /* the pipeline's: once it is open, no signal stops it in a round */
    struct writer gate; /* where the pipeline ends: its rounds are committed together */
    uint64_t first, documents, bytes, clients, idle, dim;
    struct listener listener;
    struct answerer answerer;
    struct status status;
    struct server server;
};

static const struct option options_known[] = {
    { '0', NULL, NULL, "indices in requests start at 0 (default: at 1)",
      OPTION_FLAG(serve, answerer.options.from_zero) },
    { 'S', "status", NULL, "file that shows the state, in the text format of Prometheus (default: "
                           "none)", OPTION_TEXT(serve, status.path) },
    { 'a', NULL, NULL, "be a client: send requests from standard input, and print the answers "
                       "(default: serve)", OPTION_FLAG(serve, asks) },
    { 'b', "first", NULL, "number of the first round, 1 to 9007199254740991 (default: that after "
                          "the last round in the folder of spool, else 1)",
      OPTION_WHOLE(serve, first, 1, RECORD_MOST - 1) },
    { 'c', "clients", NULL, "connections at once, 1 to 100000 (default 200)",
      OPTION_WHOLE(serve, clients, 1, CLIENTS_MOST) },
    { 'd', "dim", NULL, "number of features, 0 to 2147483648; 0: a fixed list of items (default: "
                        "each request's largest index)", OPTION_WHOLE(serve, dim, 0, ROUND_DIM) },
    { 'e', NULL, NULL, "the documents of a request are in the engine's order, first to last "
                       "(default: in none)", OPTION_FLAG(serve, answerer.options.ranked) },
    { 'i', "seconds", NULL, "close a connection without a whole request for so long, 1 to 86400 "
                            "seconds (default 60)", OPTION_WHOLE(serve, idle, 1, 86400) },
    { 'm', "bytes", NULL, "bytes of a request, 1 to 1073741824 (default 2097152)",
      OPTION_WHOLE(serve, bytes, 1, BYTES_MOST) },
    { 'n', "documents", NULL, "documents of a request, 1 to 4294967295 (default 1000)",
      OPTION_WHOLE(serve, documents, 1, ROUND_DOCS) },
    { 0 },
};

static int check_limits(const struct serve *my, struct fault *fault)
{
    long most = sysconf(_SC_OPEN_MAX);
    if (most > 0 && (uint64_t)most < my->clients + SPARE)
        return fault_usage(fault, "-c %" PRIu64 " needs %" PRIu64 " file descriptors, but this "
                           "process may have only %ld: see ulimit -n", my->clients,
                           my->clients + SPARE, most);
    return 0;
}

static int parse(void *self, struct options *options, struct host *host)
{
    struct serve *my = self;
    struct host parts = *host;
    my->host = host;
    my->listener.fd = -1;
    my->clients = 200;
    my->bytes = 2 << 20;
    my->documents = 1000;
    my->idle = 60;
    int letter = options_read(options);
    if (letter < 0)
        return letter;
    host->saves = !my->asks; /* it takes its five seconds after a signal */
    my->answerer.options.widths = options->given['d'];
    my->answerer.options.dim = (size_t)my->dim;
    char *const *operands = options_operands(options);
    my->path = operands[0];
    if (my->asks)
        return my->path && !operands[1] ? 0 : fault_usage(options->fault, "-a wants one operand: "
                                                          "a socket");
    if (!operands[0] || !operands[1] || operands[2])
        return fault_usage(options->fault, "wants two operands: a socket, and a pipeline that is "
                           "quoted as a whole");
    my->watch = WATCH_NOTHING;
    parts.watch = &my->watch;
    parts.served = parts.last = true;
    parts.out = &my->gate;
    if (check_limits(my, options->fault) < 0 ||
        pipeline_read(&my->pipeline, operands[1], options->fault) < 0 ||
        pipeline_parse(&my->pipeline, &parts) < 0)
        return -1;

    struct fault *fault = my->host->fault;
    const struct pipeline *pipeline = &my->pipeline;
    /* Each part must pass rounds on, and none may read or write files in place of them. */
    for (size_t i = 0; i < pipeline->chain.parts; i++) {
        const struct part *part = &pipeline->chain.part[i];
        if (part->host.kind != FILTER || part->host.files)
            return fault_usage(fault, "%s cannot be in a served pipeline: each program there must "
                               "read rounds and pass them on", part->filter->name);
    }
    if (pipeline_find(pipeline, &explore) < 0)
        return fault_usage(fault, "the pipeline gives no order to show: add explore");
    if (pipeline->text.from || pipeline->text.to)
        return fault_usage(fault, "the pipeline must not have %s: its rounds come from clients, "
                           "and return to them", pipeline->text.from ? "<" : ">");
    return 0;
}

/* Without -b: the number after the last round that a part has stored. */
static int find_first(struct serve *my)
{
    const struct chain *chain = &my->pipeline.chain;
    if (my->first)
        return 0;
    my->first = 1;
    for (size_t i = 0; i < chain->parts; i++) {
        const struct part *part = &chain->part[i];
        uint64_t last = 0;
        if (part->filter->last && part->filter->last(part->self, &last) < 0) return -1;
        my->first = last >= my->first ? last + 1 : my->first;
    }
    return 0;
}

static void warn_of(void *to, const char *text)
{
    warn(((const struct serve *)to)->host, "serve", "%s", text);
}

static int open_serve(void *self)
{
    struct serve *my = self;
    struct fault *fault = my->host->fault;
    if (my->asks)
        return 0;
    if (account_not_root(fault) < 0) return -1;
    my->answerer.options.most = (size_t)my->documents;
    my->answerer.chain = &my->pipeline.chain;
    my->status.chain = &my->pipeline.chain;
    my->status.started = my->status.written = moment_seconds();
    my->server = (struct server){ .listener = &my->listener, .answerer = &my->answerer,
                                  .status = &my->status, .bytes = (size_t)my->bytes,
                                  .clients = (size_t)my->clients, .watch = &my->watch,
                                  .gate = &my->gate, .idle = (double)my->idle,
                                  .stop = my->host->watch->stop, .warn = warn_of, .to = my };
    my->watch.stop = my->host->watch->stop; /* what a part waits for here may never come */
    int opened = chain_open(&my->pipeline.chain, fault);
    my->watch.stop = -1;
    if (opened < 0 || find_first(my) < 0 || answerer_open(&my->answerer, fault) < 0 ||
        server_open(&my->server, fault) < 0)
        return -1;
    my->answerer.next = my->first;
    return listener_open(&my->listener, my->path, fault);
}

/* Serves until the end. */
static enum outcome each(void *self, struct round *round)
{
    struct serve *my = self;
    struct host *host = my->host;
    my->answerer.round = round;
    int served = my->asks ? client_run(my->path, host->in, host->watch->stop, host->out,
                                       host->fault)
                          : server_run(&my->server, host->fault);
    return served < 0 ? FAIL : DONE;
}

static int end_serve(void *self)
{
    struct serve *my = self;
    return my->asks ? 0 : chain_end(&my->pipeline.chain, my->host->fault);
}

static int close_serve(void *self, enum ended ended)
{
    struct serve *my = self;
    server_close(&my->server);
    listener_close(&my->listener);
    answerer_close(&my->answerer);
    return pipeline_close(&my->pipeline, ended, my->host->fault);
}

const struct filter serve = {
    .name = "serve",
    .usage = "[-0ae] [-S status] [-b first] [-c clients] [-d dim] [-i seconds] [-m bytes] "
             "[-n documents] socket [pipeline]",
    .line = "answers many clients at a socket by one pipeline",
    .options = options_known,
    .operand = { .value = "socket",
                 .text = "file name of the Unix socket; - is a listening socket from systemd or on "
                         "standard input" },
    .second = { .value = "pipeline",
                .text = "programs that pass rounds on, joined by |, as one argument" },
    .size = sizeof(struct serve),
    .kind = WHOLE,
    .parse = parse,
    .open = open_serve,
    .each = each,
    .end = end_serve,
    .close = close_serve,
};
