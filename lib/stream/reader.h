/* reader: the records of a stream, from a descriptor or from memory. */
#ifndef RANKPIPE_READER_H
#define RANKPIPE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/splice.h"
#include "io/watch.h"
#include "stream/record.h"

/* Reads records from a descriptor, or from bytes in memory.
 *
 * A reader that is given a splice leaves the features of a round in pipes where they are large, so
 * that the writer can pass them on without a copy through memory. If the program also looks at
 * features, `copies` is set: then they are read too, and the pipe has a second copy. Both are valid
 * until the next call. A record with the key crc= is always read. */
struct reader {
    int fd; /* -1: all bytes are in memory already */
    const char *name;
    struct watch *watch;
    struct buffer buffer;
    const unsigned char *bytes; /* what was read: in `buffer`, or the caller's memory */
    size_t from, until;         /* bytes[from..until-1] are still to be parsed        */
    size_t at;                  /* where in bytes the last record begins              */
    size_t line;                /* bytes of its header line                           */
    uint64_t offset;            /* of bytes[0], in the input                          */
    const char *awaited;        /* what the bytes are, for who waits long; name at first */
    bool once;                  /* the first end record ends the stream; set by the caller */
    bool keep;                  /* never discard bytes; set by the caller             */
    struct splice *spliced;     /* NULL: none; set, with `copies`, by the caller      */
    bool copies;
    bool copying;               /* this record is read too                            */
    size_t read_most;           /* most bytes of one read; 0: no limit                */
    bool any, ended;            /* was there a record? was the last one an end record? */
    uint64_t since;             /* records since the last end record                  */
    uint64_t records;           /* records so far, without end records                */
    char last[64];              /* the name of the last whole record: "round 17"      */
};

/* fd, name, watch and bytes stay the caller's, and must outlive the reader. */
void reader_open(struct reader *reader, int fd, const char *name, struct watch *watch);
void reader_open_bytes(struct reader *reader, const void *bytes, size_t n, const char *name);
void reader_close(struct reader *reader); /* frees memory; does not close fd */

/* Reads the next round or model, and binds it to a payload that is valid until the next call. End
 * records are checked and skipped. Waits as reader->watch says. 1: a record. 0: the stream ended
 * with an end record. -1: a fault: FAULT_CUT where the stream stops before its end record,
 * FAULT_DATA where it is malformed. Memory grows with the bytes that came, never with a number in a
 * header. */
int reader_next(struct reader *reader, struct record *record, struct fault *fault)
    __attribute__((warn_unused_result));

/* The same in two calls, so that a program can refuse a header before it waits for the payload.
 * reader_header returns 1, 0 or -1 as above; reader_payload, which must follow a 1, returns 1 or
 * -1. */
int reader_header(struct reader *reader, struct record *record, struct fault *fault)
    __attribute__((warn_unused_result));
int reader_payload(struct reader *reader, struct record *record, struct fault *fault)
    __attribute__((warn_unused_result));

/* Adds the place of a record, "<stdin>: round 17: ", to a fault that was found in it. */
void reader_refuse(const struct reader *reader, const struct record *record, struct fault *fault);

/* Waits for more bytes and reads them: 1, 0 at the end of the input, or a fault. */
int reader_more(struct reader *reader, struct fault *fault);

/* Reads once, without waiting. 1: bytes came. 0: none are there now. 2: the input is at its end.
 * -1: a fault. */
int reader_take(struct reader *reader, struct fault *fault);

#endif
