#include "serve/server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/moment.h"

/* Bytes of requests in a turn; of answers that a client may leave unread; seconds to wait for
 * clients at the end; clients accepted at once. */
enum { TURN = 64 * 1024, UNREAD = 64 * 1024, LAST_WAIT = 5, WELCOMES = 64 };

enum { AT_LISTENER, AT_STOP, AT_CLIENTS };

int server_open(struct server *my, struct fault *fault)
{
    size_t bytes = my->clients * sizeof *my->client;
    my->client = calloc(my->clients, sizeof *my->client);
    my->polls = calloc(my->clients + AT_CLIENTS, sizeof *my->polls);
    return my->client && my->polls ? 0 : fault_no_room(fault, bytes);
}

void server_close(struct server *my)
{
    while (my->count)
        connection_close(&my->client[--my->count]);
    free(my->client);
    free(my->polls);
}

/* ---- one client ---- */

/* Answers the request at hand. 0 or a fault. */
static int answer(struct server *my, struct connection *client, struct fault *fault)
{
    struct answerer *answerer = my->answerer;
    int ranked = answerer_answer(answerer, connection_text(client), client->request,
                                 client->stamp, fault);
    if (ranked < 0 || connection_answer(client, answerer->answer.buffer,
                                        answerer->answer.pending.held, fault) < 0)
        return -1;
    if (ranked)
        status_round(my->status, client->came, answerer->explored);
    else
        my->status->errors[STATUS_REQUEST]++;
    client->since = client->came;
    connection_next(client);
    return 0;
}

/* Tells a client why its connection is closed, which follows. 0 or a fault. */
static int dismiss(struct server *my, struct connection *client, const char *why,
                   struct fault *fault)
{
    struct writer *text = &my->answerer->answer;
    my->status->errors[STATUS_CLOSED]++;
    client->leaving = true;
    if (answerer_refuse(my->answerer, why, fault) < 0)
        return -1;
    return connection_answer(client, text->buffer, text->pending.held, fault);
}

/* May the client have more answers, unread ones being few? */
static bool may_answer(const struct connection *client)
{
    return !client->leaving && connection_held(client) <= UNREAD;
}

/* Answers whole requests, as many as there are in a turn. 0 or a fault. */
static int answer_some(struct server *my, struct connection *client, struct fault *fault)
{
    char why[100];
    size_t bytes = 0;
    while (bytes < TURN && may_answer(client) && connection_find(client)) {
        bytes += client->request;
        if (answer(my, client, fault) < 0)
            return -1;
    }
    if (client->leaving || connection_find(client))
        return 0;
    if (connection_is_over(client, my->bytes)) {
        snprintf(why, sizeof why, "request: more than %zu bytes: the connection is closed",
                 my->bytes);
        return dismiss(my, client, why, fault);
    }
    if (!client->ended && !my->stopping)
        return 0;
    if (connection_is_within(client))
        return dismiss(my, client, client->ended ? "request: no blank line ends it"
                                                 : "request: not whole when the service stopped",
                       fault);
    client->leaving = true;
    return 0;
}

/* Has it a whole request that could be answered now? */
static bool is_waiting(const struct connection *client)
{
    return client->request && may_answer(client);
}

/* What a client is waited for. A client that should first read its answers is not read from. */
static short events_of(const struct server *my, const struct connection *client)
{
    bool reads = !my->stopping && !client->ended && !client->request && may_answer(client);
    return (short)((reads ? POLLIN : 0) | (connection_held(client) ? POLLOUT : 0));
}

/* Reads from a client whose turn it is, and answers it. 0 or a fault. */
static int hear(struct server *my, struct connection *client, short events, struct fault *fault)
{
    client->gone = events & (POLLERR | POLLHUP | POLLNVAL);
    if (client->gone)
        return 0;
    enum connection_state state = events & POLLIN ? connection_read(client, my->bytes, fault)
                                                  : CONNECTION_OPEN;
    client->gone = state == CONNECTION_GONE;
    if (state != CONNECTION_OPEN)
        return state == CONNECTION_GONE ? 0 : -1;
    return answer_some(my, client, fault);
}

/* Writes its answers. Does it stay? */
static bool tell(struct server *my, struct connection *client)
{
    client->turn = false;
    client->gone = client->gone || connection_write(client) == CONNECTION_GONE;
    if (client->gone)
        my->status->errors[STATUS_GONE] += client->request || connection_held(client);
    return !client->gone && (!client->leaving || connection_held(client));
}

static void remove_client(struct server *my, size_t i)
{
    connection_close(&my->client[i]);
    my->client[i] = my->client[--my->count];
    my->crowded = false;
}

/* ---- all clients ---- */

/* Gives each client that is ready its turn. 0 or a fault. */
static int serve_all(struct server *my, struct fault *fault)
{
    struct writer *gate = my->gate;
    for (size_t i = 0; i < my->count; i++) {
        struct connection *client = &my->client[i];
        short events = my->polls[AT_CLIENTS + i].revents;
        client->turn = events || is_waiting(client) || my->stopping;
        if (client->turn && hear(my, client, events, fault) < 0)
            return -1;
    }
    if (my->status->pending && gate->before && gate->before(gate->self, fault) < 0)
        return -1;
    status_answered(my->status, moment_seconds());
    for (size_t i = my->count; i-- > 0;)
        if (my->client[i].turn && !tell(my, &my->client[i]))
            remove_client(my, i); /* the one that takes its place has been told */
    return 0;
}

static void welcome(struct server *my)
{
    for (int i = 0; i < WELCOMES && my->count < my->clients; i++) {
        int fd = listener_accept(my->listener);
        if (fd < 0) {
            my->crowded = errno != 0;
            return;
        }
        my->client[my->count++] = (struct connection){ .fd = fd, .since = moment_seconds() };
        my->status->clients++;
    }
}

/* Looks for clients that have been idle too long. */
static int look_for_idle(struct server *my, double now, struct fault *fault)
{
    char why[100];
    for (size_t i = my->count; i-- > 0;) {
        struct connection *client = &my->client[i];
        if (now - client->since < my->idle)
            continue;
        bool within = !client->leaving && !connection_held(client) && connection_is_within(client);
        snprintf(why, sizeof why, "request: not whole after %g seconds", my->idle);
        if (within && dismiss(my, client, why, fault) < 0)
            return -1;
        if (within)
            (void)connection_write(client);
        else
            my->status->errors[STATUS_CLOSED] += connection_held(client) > 0;
        remove_client(my, i);
    }
    return 0;
}

/* What is done once a second. 0 or a fault. */
static int tick(struct server *my, struct fault *fault)
{
    double now = moment_seconds();
    if (now - my->checked < 1)
        return 0;
    my->checked = now;
    my->crowded = false;
    return watch_ring(my->watch, fault) < 0 ? -1 : look_for_idle(my, now, fault);
}

static void report(struct server *my, bool now_due)
{
    struct fault why = { FAULT_NONE, "" };
    my->status->open = my->count;
    my->status->next = my->answerer->next;
    int wrote = status_write(my->status, now_due, &why);
    if (wrote > 0)
        my->warned = false;
    if (wrote >= 0)
        return;
    my->status->errors[STATUS_FILE]++;
    if (!my->warned)
        my->warn(my->to, why.text);
    my->warned = true;
}

/* Waits for the next event, or for a second. */
static int wait(struct server *my, struct fault *fault)
{
    struct pollfd *polls = my->polls;
    bool room = !my->stopping && !my->crowded && my->count < my->clients;
    bool waiting = false;
    polls[AT_LISTENER] = (struct pollfd){ room ? my->listener->fd : -1, POLLIN, 0 };
    polls[AT_STOP] = (struct pollfd){ my->stopping ? -1 : my->stop, POLLIN, 0 };
    for (size_t i = 0; i < my->count; i++) {
        struct connection *client = &my->client[i];
        waiting = waiting || is_waiting(client);
        polls[AT_CLIENTS + i] = (struct pollfd){ client->fd, events_of(my, client), 0 };
    }
    bool idle = my->count == 0 && !my->status->path && !my->crowded && !my->watch->alarms;
    double left = my->stopped + LAST_WAIT - moment_seconds();
    int most = !my->stopping || left > 1 ? 1000 : left > 0 ? (int)(1000 * left) + 1 : 0;
    if (poll(polls, AT_CLIENTS + my->count, waiting ? 0 : idle ? -1 : most) >= 0)
        return 0;
    for (size_t i = 0; i < AT_CLIENTS + my->count; i++)
        polls[i].revents = 0;
    return errno == EINTR ? 0 : fault_system(fault, "cannot wait for clients");
}

/* A signal came. What clients have sent whole is still answered; read it. */
static int begin_to_stop(struct server *my, struct fault *fault)
{
    listener_close(my->listener);
    my->stopping = true;
    my->stopped = moment_seconds();
    for (size_t i = 0; i < my->count; i++) {
        struct connection *client = &my->client[i];
        bool reads = !client->ended && !client->request && may_answer(client);
        if (reads && connection_read(client, my->bytes, fault) == CONNECTION_FAULT)
            return -1;
    }
    return 0;
}

static bool is_over(const struct server *my)
{
    return my->stopping && (my->count == 0 || moment_seconds() - my->stopped > LAST_WAIT);
}

int server_run(struct server *my, struct fault *fault)
{
    int result = 0;
    report(my, true);
    while (result == 0 && !is_over(my)) {
        result = wait(my, fault);
        if (result == 0 && my->polls[AT_STOP].revents)
            result = begin_to_stop(my, fault);
        if (result == 0)
            result = serve_all(my, fault);
        if (result == 0 && my->polls[AT_LISTENER].revents)
            welcome(my);
        if (result == 0)
            result = tick(my, fault);
        report(my, false);
    }
    report(my, true);
    return result;
}
