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

/* Reads the next round, model or patch. Its payload is valid until the next call. The function
 * checks and skips end records, and waits as reader->watch says. Memory grows with the bytes that
 * came, never with a number in a header. Returns
 * - 1: a record came;
 * - 0: the stream ended with an end record;
 * - FAULT_CUT: the stream stops before its end record;
 * - FAULT_DATA: the stream is malformed. */
int reader_next(struct reader *reader, struct record *record, struct fault *fault)
    __attribute__((warn_unused_result));

/* Do the same in two calls, so that a program can refuse a header before it waits for the payload.
 * reader_payload follows reader_header, and never returns 0. */
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

/* Reads until n bytes are held; with `exactly`, reads none after them. Returns 1, 0 at the end of
 * the input, or a fault. */
int reader_fill(struct reader *reader, size_t n, bool exactly, struct fault *fault);

/* Reads once, without waiting. Returns 1 if bytes came, else 0 or a fault. *ended says whether the
 * input is at its end. */
int reader_take(struct reader *reader, bool *ended, struct fault *fault);

/* The stream in a file, mapped where that can be done, so that it is read in place. */
struct mapped { /* all zero at first */
    struct reader reader; /* reads the stream, and keeps all of it in memory */
    void *map;            /* of a regular file; NULL: the reader's buffer has the stream */
    size_t bytes;         /* of the map */
    dev_t device;         /* of the file */
    ino_t inode;
};

/* Prepares to read the stream at `fd`. The caller may close `fd` when the stream has been read to
 * its end. name and watch stay the caller's. On little-endian machines, a regular file that is at
 * its beginning is mapped. Returns 0 or a fault. mapped_close comes next in either case. */
int mapped_open(struct mapped *mapped, int fd, const char *name, struct watch *watch,
                struct fault *fault);

/* Returns 0, or a fault if the mapped file became shorter: what was cut off reads as zeros, or ends
 * the program by SIGBUS. A file that was renamed or replaced is no fault. */
int mapped_unchanged(const struct mapped *mapped, struct fault *fault);

/* Forgets the stream, and all that points into it. */
void mapped_close(struct mapped *mapped);

#endif
