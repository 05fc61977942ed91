/* request_index: a log that knows its requests: where the rounds of the last 10^5 are that have
 * one, so that a request that comes again is answered by the round that is stored.
 *
 *     struct request_index index = { .log = &writer, .warn = warn, .to = self };
 *     if (request_index_open(&index, watch, fault) < 0)   // after spool_writer_open
 *         return -1;
 *     switch (request_index_find(&index, round, fault)) {
 *     case REQUEST_NEW:
 *         return request_index_put(&index, round, fault);
 *     case REQUEST_STORED: ...    // the round is now the stored one
 *
 * In memory are a keyed hash and a place for each request, 32 bytes, and 1 MB of heads: requests
 * of one bucket form a chain in the order in which they came, newest first, through a ring of
 * places. */
#ifndef RANKPIPE_REQUEST_INDEX_H
#define RANKPIPE_REQUEST_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/siphash.h"
#include "io/watch.h"
#include "log/spool_writer.h"
#include "stream/reader.h"
#include "stream/round.h"

struct request_place;

struct request_index {                        /* all zero at first, but the first three */
    struct spool_writer *log;                 /* the caller's, open                     */
    void (*warn)(void *to, const char *text); /* is told of a damaged file of the log   */
    void *to;

    struct siphash start;
    struct request_place *place; /* a ring; place number k is place[k % its size] */
    uint64_t *head;              /* of each bucket: its newest place; 0: none      */
    uint64_t added;              /* the number of the last place, from 1            */
    uint64_t kept;               /* that of the last committed one                  */
    struct buffer list;          /* files of the log, struct spool_range [files]    */
    size_t files;                /* where `last` is 0, it is or was the open one    */
    uint64_t last;               /* the round put last                              */
    struct record *record;       /* to look into files                              */
    struct reader reader;        /* holds the payload of the round found last       */
};

/* Reads the files that hold the log's last 10^5 rounds: O(their bytes), for 10^5 rounds of 20
 * documents with 46 features a fifth of a second of processor time. 0 or a fault; to be closed
 * either way. */
int request_index_open(struct request_index *index, struct watch *watch, struct fault *fault);

/* Is the request of a round among those? STORED: the round and its record are now those of the log,
 * valid until the next call. A fault where the round has another query than the stored one, so
 * that its answer would be about other documents; or where the stored one is damaged. */
enum request_found { REQUEST_FAULT = -1, REQUEST_NEW, REQUEST_STORED };

enum request_found request_index_find(struct request_index *index, struct round *round,
                                      struct fault *fault);

/* spool_writer_put, after which the request is known. 0 or a fault. */
int request_index_put(struct request_index *index, struct round *round, struct fault *fault);

/* After spool_writer_commit: the requests put so far are there to stay. After
 * spool_writer_take_back: those put since the last commit are not known any more. */
void request_index_commit(struct request_index *index);
void request_index_take_back(struct request_index *index);

void request_index_close(struct request_index *index);

#endif
