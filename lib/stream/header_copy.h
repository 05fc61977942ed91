/* header_copy: a copy of a record's parsed header, in one block of memory. Records are made from it
 * again without parsing. */
#ifndef RANKPIPE_HEADER_COPY_H
#define RANKPIPE_HEADER_COPY_H

#include "base/fault.h"
#include "stream/record.h"

struct header_copy;

/* A copy of a parsed record's kind, keys and columns, to be released with free(). NULL with a fault
 * where there is no memory. */
struct header_copy *header_copy_make(const struct record *record, struct fault *fault);

/* The bytes of memory that the copy takes. */
size_t header_copy_bytes(const struct record *record);

/* Makes *record what the copied record was, with columns bound to no payload. Names and values stay
 * in the copy, which must outlive the record. */
void header_copy_restore(const struct header_copy *copy, struct record *record);

#endif
