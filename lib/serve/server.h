/* server: many connections, whose requests one pipeline answers, one at a time. */
#ifndef RANKPIPE_SERVER_H
#define RANKPIPE_SERVER_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/watch.h"
#include "serve/answerer.h"
#include "serve/listener.h"
#include "serve/status.h"

/* One client: the bytes that it sent, divided into requests, and its answers. */
struct connection { /* all zero at first, but for fd */
    int fd;
    struct buffer in;   /* its bytes from..until are still to be used   */
    size_t from, until;
    size_t line;        /* where the first line not yet looked at begins */
    size_t looked;      /* no line ends before this                      */
    size_t request;     /* bytes of the whole request at `from`; 0: none */
    bool content;       /* a line of the current request is not blank    */
    bool ended;         /* the client sends no more                      */
    bool turn, gone;    /* it has its turn; no answer can reach it any more */
    bool leaving;       /* it is closed when its answers are written     */
    struct buffer out;  /* its bytes sent..held are still to be written  */
    size_t sent, held;
    struct buffer marks; /* size_t[marked]: bytes of `out` where an answer of this turn ends whose
                          * round is to be stored */
    size_t marked;
    double came;        /* when bytes were read last, in seconds, and as rounds record it */
    uint64_t stamp;
    double since;       /* the end of the last request, or when an answer was read last   */
};

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
    struct writer *gate;        /* its `before` is called before answers are written; above 0:
                                 * rounds of this turn are not stored */
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
