/* status: counts of a service, and their file in Prometheus' text format. */
#ifndef RANKPIPE_STATUS_H
#define RANKPIPE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "run/chain.h"

enum { STATUS_LATENCIES = 4096 };

enum status_error {
    STATUS_REQUEST, /* requests that got a line with "!"                        */
    STATUS_CLOSED,  /* connections closed: too many bytes, or idle or cut short */
    STATUS_GONE,    /* clients that left before they had their answer           */
    STATUS_FILE,    /* writes of this file that failed                          */
    STATUS_ERRORS
};

struct status { /* all zero at first */
    const char *path;         /* of the file, the caller's; NULL: none  */
    const struct chain *chain; /* whose facts are shown, the caller's   */
    uint64_t rounds, explored, clients;
    uint64_t errors[STATUS_ERRORS];
    size_t open;              /* connections now                        */
    uint64_t next;            /* the number of the next round           */
    double latency_sum;       /* seconds, of all rounds                 */
    size_t pending;           /* rounds whose answer was not written yet */
    double pending_came;      /* the sum of when they came              */
    double latency[STATUS_LATENCIES]; /* of the last of them, in a ring */
    double started, written;  /* seconds: the start, and the last write */
    uint64_t then;            /* rounds at the last write               */
};

/* Counts a round whose last byte came at that moment, in seconds. */
void status_round(struct status *status, double came, bool explored);

/* The rounds counted since the last call are answered at the moment `now`. */
void status_answered(struct status *status, double now);

/* Replaces the file if five seconds have passed since the last time, or if `now_due`: 1, 0 where it
 * is not due or there is none, or a fault. Anyone may read it; it is not synced. */
int status_write(struct status *status, bool now_due, struct fault *fault);

#endif
