/* writer: bytes, text and records to a descriptor. */
#ifndef RANKPIPE_WRITER_H
#define RANKPIPE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "io/wait.h"
#include "stream/record.h"

/* Bytes to a descriptor. With a watch that is eager watch_writable is asked before each piece, and
 * where a descriptor that does not block would. */
struct writer {
    struct pending pending; /* first, so that its flush finds the writer */
    const char *name;       /* for messages: "<stdout>" */
    struct watch *watch;
    unsigned char *buffer; /* pending.held bytes of it are to be written */
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

#endif
