/* client_cap: how many answers of one client count: in a day, so many for each query, and so many
 * in all. One person, or one program, thus has one voice for a query, and many voices nowhere. */
#ifndef RANKPIPE_CLIENT_CAP_H
#define RANKPIPE_CLIENT_CAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/name_table.h"

struct client_cap { /* all zero at first, except the first two */
    uint64_t each; /* answers of a client for a query that count in a day; 0: any number */
    uint64_t all;  /* and in all; 0: 10, or a hundredth of the day's that counted if that is more */
    uint64_t day;     /* since 1970 (UTC), the latest so far */
    uint64_t counted; /* answers of the day, also those whose client is not known */
    struct client_counts { /* of the day */
        struct name_table names;
        struct buffer counts; /* uint64[names] */
    } queries, clients;       /* by client and query; by client */
    struct buffer name;
};

/* May another answer count, which came at `time` milliseconds since 1970? 1: yes, and it does; 0:
 * the client has had its share. Those of an earlier day count for the latest one. Where the client
 * is NULL it is not known, and not bounded. qid NULL is one query. Or a fault (memory). */
int client_cap_admit(struct client_cap *cap, const char *client, const char *qid, uint64_t time,
                     struct fault *fault);

void client_cap_close(struct client_cap *cap);

#endif
