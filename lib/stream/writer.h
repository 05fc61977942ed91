/* writer: bytes, text and records to a descriptor. */
#ifndef RANKPIPE_WRITER_H
#define RANKPIPE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "io/watch.h"
#include "stream/record.h"

/* Writes to a descriptor through a buffer. If the watch is eager, each write first waits until the
 * descriptor can take it, and the ring is read meanwhile. Else a write waits only if the descriptor
 * does not block. */
struct writer {
    struct pending pending; /* must be first: its flush casts it to the writer */
    const char *name;       /* for messages: "<stdout>" */
    struct watch *watch;
    unsigned char *buffer; /* its first pending.held bytes are still to be written */
    size_t room;           /* of a writer into memory, which grows; else 0 */

    /* Called before bytes are written, with what must be on the disk first, say; set by the caller;
     * NULL: nothing. After a fault nothing is written; above 0 is no fault. */
    int (*before)(void *self, struct fault *fault);
    void *self;
};

/* fd, name and watch stay the caller's, and must outlive the writer. watch may be NULL. Returns 0
 * or a fault. */
int writer_open(struct writer *writer, int fd, const char *name, struct watch *watch,
                struct fault *fault);

/* A writer into memory, for bytes and text alone: its buffer holds what was written, pending.held
 * bytes, until the caller sets pending.held to 0. */
int writer_open_bytes(struct writer *writer, struct fault *fault);

/* Writes a record. If it wants a CRC, its columns must be in memory, or made. What its splice holds
 * moves to the output, so the record can be written only once. This function and the next four
 * return 0, FAULT_GONE if nobody reads the output, or another fault. */
int writer_record(struct writer *writer, const struct record *record, struct fault *fault);

/* Writes the end record of a stream of so many records, and flushes. */
int writer_end(struct writer *writer, uint64_t records, struct fault *fault);

int writer_bytes(struct writer *writer, const void *bytes, size_t n, struct fault *fault);

/* Writes at most 1023 bytes of text, formatted as by printf. */
int writer_text(struct writer *writer, struct fault *fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

int writer_flush(struct writer *writer, struct fault *fault);

/* Frees memory. Neither flushes nor closes fd. */
void writer_close(struct writer *writer);

#endif
