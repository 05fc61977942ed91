/* stream: records on descriptors, read and written, and the waiting between. */
#ifndef RANKPIPE_STREAM_H
#define RANKPIPE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "aside.h"
#include "fault.h"
#include "record.h"
#include "space.h"

struct writer;

/* What a program minds whenever it waits. One for each chain of filters; everything lent. */
struct watch {
    struct writer *out; /* flushed before a wait, and watched: nobody left to read it is
                         * FAULT_GONE; NULL: none                                           */
    int stop;           /* a descriptor that is readable once a signal asked to stop, which
                         * is FAULT_STOPPED; -1: none                                       */
    int side;           /* a descriptor to be taken from whenever it has something; -1: none */
    bool eager;         /* take from it while output blocks too, not just while input does  */
    int (*take)(void *self, struct fault *fault);
    void *self;
};

/* A watch that minds nothing yet. */
#define WATCH_NOTHING ((struct watch){ .stop = -1, .side = -1 })

/* Waits until `fd` can be read, at most so many milliseconds (-1: for ever). 1, 0 when the time is
 * over, or a fault. */
int watch_readable(struct watch *watch, int fd, int milliseconds, struct fault *fault);

/* Waits until `fd` can be written, at least PIPE_BUF bytes where it is a pipe. 0, or a fault. */
int watch_writable(struct watch *watch, int fd, struct fault *fault);

/* Has a signal asked to stop, or does it within so many milliseconds? 0, or FAULT_STOPPED. */
int watch_stopped(const struct watch *watch, int milliseconds, struct fault *fault);

/* ^C stops the programs around us too, and that they are gone may be heard before the signal is:
 * who finds them gone looks for it so long. */
enum { WATCH_GRACE = 20 }; /* milliseconds */

/* Opens a file, as open does, and again where a signal came between that asks for nothing (`watch`
 * NULL: whatever it asks for). A descriptor; or -1, with errno, or with FAULT_STOPPED. */
int watch_open(const struct watch *watch, const char *path, int flags, mode_t mode,
               struct fault *fault);

/* Closes what was written to: 0, or -1 with errno. A signal that came between is no failure: the
 * descriptor is gone, and what was written is on its way. */
int watch_close(int fd);

/* Bytes to a descriptor. With a watch that is eager watch_writable is asked before each piece, and
 * where a descriptor that does not block would. */
struct writer {
    int fd;
    const char *name; /* for messages: "<stdout>" */
    struct watch *watch;
    unsigned char *buffer;
    size_t held;
    bool copies; /* pages cannot be lent to fd */
};

/* fd, name and watch stay the caller's. 0, or a fault. */
int writer_open(struct writer *writer, int fd, const char *name, struct watch *watch,
                struct fault *fault);
/* What lies aside goes with it: such a record can be written once. */
int writer_record(struct writer *writer, const struct record *record, struct fault *fault);
int writer_end(struct writer *writer, uint64_t records, struct fault *fault);
int writer_bytes(struct writer *writer, const void *bytes, size_t n, struct fault *fault);
int writer_text(struct writer *writer, struct fault *fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int writer_flush(struct writer *writer, struct fault *fault);
void writer_close(struct writer *writer); /* lets go of memory; neither flushes nor closes fd */

/* Records from a descriptor, or from bytes in memory. A reader that is lent a place aside leaves a
 * round's features there, where they are large: without reading them, or, if it `copies`, beside
 * what it has read. They are good until the next call too. */
struct reader {
    int fd; /* -1: all there is is in the buffer */
    const char *name;
    struct watch *watch;
    struct space space;
    const unsigned char *bytes; /* the buffer: space, or somebody's memory        */
    size_t from, until;         /* what of it is still to be read                 */
    size_t at;                  /* where the last record begins                   */
    size_t line;                /* bytes of its header line                       */
    bool keep;                  /* keep what has been read: set by who needs it   */
    struct aside *aside;        /* NULL: none; set, with `copies`, by who has one */
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
