/* reader: the records of a stream, from a descriptor or from memory. */
#ifndef RANKPIPE_READER_H
#define RANKPIPE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/splice.h"
#include "io/wait.h"
#include "stream/record.h"

/* Records from a descriptor, or from bytes in memory. A reader that is lent a place aside leaves a
 * round's features there, where they are large: without reading them, or, if it `copies`, beside
 * what it has read. They are good until the next call too. */
struct reader {
    int fd; /* -1: all there is is in the buffer */
    const char *name;
    struct watch *watch;
    struct buffer buffer;
    const unsigned char *bytes; /* the buffer: space, or somebody's memory        */
    size_t from, until;         /* what of it is still to be read                 */
    size_t at;                  /* where the last record begins                   */
    size_t line;                /* bytes of its header line                       */
    bool keep;                  /* keep what has been read: set by who needs it   */
    struct splice *spliced;        /* NULL: none; set, with `copies`, by who has one */
    bool copies;
    size_t bite;                /* read at most so much at once; 0: any           */
    bool any, ended;            /* any record so far; was the last one an end     */
    uint64_t since;             /* records since the last end record              */
    uint64_t records;           /* records so far, ends left out                  */
    char last[64];              /* the last whole record, in words: "round 17"    */
};

void reader_open(struct reader *reader, int fd, const char *name, struct watch *watch);
void reader_open_memory(struct reader *reader, const void *bytes, size_t n, const char *name);
void reader_close(struct reader *reader); /* frees memory; fd stays the caller's */

/* The next round or model, bound to a payload that is good until the next call. End records are
 * counted and passed over. 1: a record. 0: the end of a stream that ended as it should. -1: a
 * fault: FAULT_CUT where the stream is cut short, FAULT_DATA where it is malformed. Memory grows
 * with the bytes that came, never with those announced. */
int reader_next(struct reader *reader, struct record *record, struct fault *fault)
    __attribute__((warn_unused_result));

/* The same in two calls, for who would look at a header before waiting for what it announces: the
 * header line, which is 1, 0 or -1; and then the payload that it belongs to, which is 1 or -1. */
int reader_header(struct reader *reader, struct record *record, struct fault *fault)
    __attribute__((warn_unused_result));
int reader_payload(struct reader *reader, struct record *record, struct fault *fault)
    __attribute__((warn_unused_result));

/* Puts the place ("<stdin>: round 17: ") of the record at hand before the words of a fault that was
 * found in it. */
void reader_refuse(const struct reader *reader, const struct record *record, struct fault *fault);

/* Takes what has come, without waiting: 1 some, 0 nothing now, -1 a fault, 2 the end. */
int reader_take(struct reader *reader, struct fault *fault);

#endif
