/* server: many connections, whose requests one pipeline answers, one at a time. */
#ifndef RANKPIPE_SERVER_H
#define RANKPIPE_SERVER_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/watch.h"
#include "serve/status.h"
#include "text/forms.h"
#include "text/svm.h"

/* The socket at which clients connect. */
struct listener {
    int fd;           /* -1: closed */
    const char *path; /* of a Unix socket that this listener made; NULL: it was passed one */
    dev_t device;     /* of that socket's file */
    ino_t inode;
};

/* Listens at a Unix socket of that path, which stays the caller's.
 * - A socket at which nobody listens any more is replaced. The new one listens when it appears.
 * - "-" takes a listening socket that the parent process passed: descriptor 3 if LISTEN_PID and
 *   LISTEN_FDS of systemd say so, else descriptor 0.
 * Returns 0 or a fault. listener_close comes next in either case. */
int listener_open(struct listener *listener, const char *path, struct fault *fault);

/* Returns the connection that waits longest, as a descriptor that does not block; or -1:
 * - errno is 0: no connection waits;
 * - errno is another: the system lacks descriptors or memory. */
int listener_accept(const struct listener *listener);

/* Stops listening, and removes the file of a socket that it made, unless another took its place. */
void listener_close(struct listener *listener);

/* Turns a request into the text of its answer: a pipeline of filters ranks the round that the
 * request is. */

struct answerer { /* all zero at first, except what the caller sets */
    struct chain *chain;  /* the caller's: filters that pass rounds on */
    struct round *round;  /* likewise: for the round at hand           */
    struct svm_options options; /* from_zero, widths, dim and most     */
    uint64_t next;        /* the number of the next round              */

    struct svm svm;
    struct writer answer; /* in memory: the last answer */
    struct printer printer;
    bool named;           /* the last round has a request, so it is to be stored */
    bool explored;        /* the order of the last round was drawn at random */
};

/* 0 or a fault; answerer_close comes next in either case. */
int answerer_open(struct answerer *my, struct fault *fault);

/* Answers a request of n bytes, which came at `stamp`: svm2bin's text with its blank line, or a
 * round of rankpipe(5). `fault` is the one that the filters of the chain were given. Returns
 * - 1: my->answer has the lines of bin2txt -f rank and a blank line. Before the blank line comes
 *   ANSWERER_UNSTORED, if a part of the chain took the name of the request away.
 * - 0: the request is wrong. my->answer has a line that begins with "!" and says why, and a blank
 *   line.
 * - a fault of the pipeline: there is no answer, and later requests get none. */
int answerer_answer(struct answerer *my, const char *text, size_t n, uint64_t stamp,
                    struct fault *fault);

#define ANSWERER_UNSTORED "#\tnot stored\n"

/* Leaves in my->answer a line with "!" and this text, and a blank line. 0 or a fault. */
int answerer_refuse(struct answerer *my, const char *why, struct fault *fault);

void answerer_close(struct answerer *my);

/* One client: the bytes that it sent, divided into requests, and its answers. */
struct connection { /* all zero at first, but for fd */
    int fd;
    struct buffer in;   /* its bytes from..until are still to be used   */
    size_t from, until;
    size_t line;        /* where the first line not yet looked at begins */
    size_t looked;      /* no line ends before this                      */
    size_t request;     /* bytes of the whole request at `from`; 0: none */
    size_t header, record; /* of a request that is a record: bytes of its header line, and of all
                            * of it; 0: the request is text, or its first line has not come */
    bool lost;          /* the header line does not say where the record ends */
    uint64_t rounds;    /* records since the last end record */
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

/* A client waits at most for one turn of each other client. In a turn, bytes are read until no more
 * are there or a request is whole, and so many requests are answered as have 64 KiB together. When
 * all that are ready have had their turn, their rounds are committed together, and then their
 * answers are written. A client that does not read its answers is not read from either, so buffers
 * are bounded: per connection by a request and 64 KiB of input, and by an answer and 64 KiB of
 * output. One that is empty keeps at most 1 MiB. */
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

/* Serves until a signal asks to stop. Then it stops listening, answers the requests that have come
 * whole, and waits at most five seconds for clients to read their answers. `fault` is the one that
 * the filters of the chain were given. Returns 0, or a fault of the pipeline or the system. */
int server_run(struct server *my, struct fault *fault);

/* Closes all connections. */
void server_close(struct server *my);

#endif
