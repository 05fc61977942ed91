/* connection: one client: the bytes that it sent, divided into requests, and its answers. */
#ifndef RANKPIPE_CONNECTION_H
#define RANKPIPE_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"

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
    double came;        /* when bytes were read last, in seconds, and as rounds record it */
    uint64_t stamp;
    double since;       /* the end of the last request, or when an answer was read last   */
};

enum connection_state { CONNECTION_OPEN, CONNECTION_GONE, CONNECTION_FAULT };

/* Reads what is there, at most 64 KiB, as long as the request at hand has at most `most` bytes.
 * GONE: the client is. */
enum connection_state connection_read(struct connection *client, size_t most, struct fault *fault);

/* Looks for the end of the request at hand, which is a blank line, also one that is only blanks and
 * CR. Blank lines before a request are skipped. Is there a whole request: `request` bytes at
 * connection_text? */
bool connection_find(struct connection *client);
const char *connection_text(const struct connection *client);

/* Has the request at hand more than so many bytes, without an end? Has it any? */
bool connection_is_over(const struct connection *client, size_t most);
bool connection_is_within(const struct connection *client);

/* Forgets the request that connection_find found. */
void connection_next(struct connection *client);

/* Adds to the answers. 0 or a fault. */
int connection_answer(struct connection *client, const void *text, size_t n, struct fault *fault);

/* Bytes of answers that are still to be written. */
size_t connection_held(const struct connection *client);

/* Writes as much of the answers as the client takes now. */
enum connection_state connection_write(struct connection *client);

/* Closes it, and frees its memory. */
void connection_close(struct connection *client);

#endif
