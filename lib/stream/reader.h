/* reader: the records of a stream, from a descriptor or from memory.
 *
 *     struct reader reader;
 *     int got;
 *     reader_open(&reader, STDIN_FILENO, "<stdin>", &watch);
 *     while ((got = reader_next(&reader, record, fault)) > 0) {
 *         const struct column *score = record_column(record, "score");
 *         if (!score) {
 *             fault_data(fault, "it has no scores");
 *             reader_refuse(&reader, record, fault);  // "<stdin>: round 17: it has no scores"
 *             got = -1;
 *             break;
 *         }
 *     }
 *     reader_close(&reader);
 *     return got == 0 ? 0 : -1; */
#ifndef RANKPIPE_READER_H
#define RANKPIPE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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
    bool patches;               /* patches come through; else a fault; the same       */
    struct splice *spliced;     /* NULL: none; set, with `copies`, by the caller      */
    bool copies;
    bool copying;               /* this record is read too                            */
    size_t read_most;           /* most bytes of one read; 0: no limit                */
    bool ended;                 /* was the last record an end record?                 */
    uint64_t since;             /* records since the last end record                  */
    uint64_t records;           /* records so far, without end records                */
    char last[64];              /* the name of the last whole record: "round 17"      */
};

/* fd, name, watch and bytes stay the caller's, and must outlive the reader. */
void reader_open(struct reader *reader, int fd, const char *name, struct watch *watch);
void reader_open_bytes(struct reader *reader, const void *bytes, size_t n, const char *name);
void reader_close(struct reader *reader); /* frees memory; does not close fd */

/* Reads the next round or model, or patch, and binds it to a payload that is valid until the next
 * call. End records are checked and skipped. Waits as reader->watch says. 1; 0: the stream ended
 * with an end record. FAULT_CUT: it stops before its end record; FAULT_DATA: it is malformed.
 * Memory grows with the bytes that came, never with a number in a header. */
int reader_next(struct reader *reader, struct record *record, struct fault *fault)
    __attribute__((warn_unused_result));

/* The same in two calls, so that a program can refuse a header before it waits for the payload.
 * reader_payload must follow a header, and never returns 0. */
int reader_header(struct reader *reader, struct record *record, struct fault *fault)
    __attribute__((warn_unused_result));
int reader_payload(struct reader *reader, struct record *record, struct fault *fault)
    __attribute__((warn_unused_result));

/* Adds the place of a record, "<stdin>: round 17: ", to a fault that was found in it. */
void reader_refuse(const struct reader *reader, const struct record *record, struct fault *fault);

/* Bytes that were read and not parsed. */
static inline size_t reader_held(const struct reader *reader)
{
    return reader->until - reader->from;
}

/* Reads until n bytes are held; with `exactly` none after them. 1; 0 at the end; or a fault. */
int reader_fill(struct reader *reader, size_t n, bool exactly, struct fault *fault);

/* Reads once, without waiting: 1 where bytes came; 0 where none are there now, or, and then *ended
 * is true, no more come; or a fault. */
int reader_take(struct reader *reader, bool *ended, struct fault *fault);

/* The stream in a file, mapped where that can be done, so that it is read in place. */
struct mapped { /* all zero at first */
    struct reader reader; /* reads the stream, and keeps all of it in memory */
    void *map;            /* of a regular file; NULL: the reader's buffer has the stream */
    size_t bytes;         /* of the map */
    dev_t device;         /* of the file */
    ino_t inode;
};

/* Makes ready to read the stream at `fd`, which may be closed once it has been read to its end;
 * name and watch are borrowed. A regular file that is at its beginning is mapped, on little-endian
 * machines. 0 or a fault; to be closed either way. */
int mapped_open(struct mapped *mapped, int fd, const char *name, struct watch *watch,
                struct fault *fault);

/* Is the mapped file as long as it was? What was cut off reads as zeros, or ends the program by
 * SIGBUS. 0; or a fault. A file of another name, or in its place, is of no matter. */
int mapped_unchanged(const struct mapped *mapped, struct fault *fault);

/* Forgets the stream, and all that points into it. */
void mapped_close(struct mapped *mapped);

#endif
