/* server: many connections, whose requests one pipeline answers, one at a time. */
#ifndef RANKPIPE_SERVER_H
#define RANKPIPE_SERVER_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "io/watch.h"
#include "serve/answerer.h"
#include "serve/connection.h"
#include "serve/listener.h"
#include "serve/status.h"

/* A client waits at most for one turn of each other client. In a turn, bytes are read once, and so
 * many requests are answered as have 64 KiB together. When all that are ready have had their turn,
 * their rounds are committed together, and then their answers are written. A client that does not
 * read its answers is not read from either, so buffers are bounded: per connection by a request and
 * 64 KiB of input, and by an answer and 64 KiB of output. */
struct server { /* all zero at first, except what the caller sets */
    struct listener *listener;  /* the caller's, like the next two */
    struct answerer *answerer;
    struct status *status;
    size_t bytes, clients;      /* limits: of a request, of all connections */
    double idle;                /* seconds without a whole request          */
    struct watch *watch;        /* of the pipeline: its alarms are rung     */
    struct writer *gate;        /* its `before` is called before answers are written */
    int stop;                   /* becomes readable when a signal asks to stop; -1: never */
    void (*warn)(void *to, const char *text); /* is told of trouble that ends nothing */
    void *to;

    struct connection *client;  /* client[count] */
    struct pollfd *polls;
    size_t count;
    bool crowded;               /* the system had no descriptor for another */
    bool stopping;
    double checked, stopped;    /* seconds: idle clients were looked for; the signal came */
    bool warned;                /* that the status file cannot be written   */
};

/* 0 or a fault; server_close comes next in either case. */
int server_open(struct server *my, struct fault *fault);

/* Serves until a signal asks to stop. Then it listens no more, answers the requests that have come
 * whole, and waits for at most five seconds until clients have read their answers. 0; or a fault of
 * the pipeline or the system. `fault` is the one that the filters of the chain were given. */
int server_run(struct server *my, struct fault *fault);

/* Closes all connections. */
void server_close(struct server *my);

#endif
