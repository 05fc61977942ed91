/* round_copy: what the header of a round says, in one block of memory. The round is made from it
 * again without parsing. */
#ifndef RANKPIPE_ROUND_COPY_H
#define RANKPIPE_ROUND_COPY_H

#include <stddef.h>

#include "base/fault.h"
#include "stream/round.h"

struct round_copy;

/* A copy of the header of a round that has just been read, to be released with free(); *bytes is
 * the memory that it takes. NULL with a fault where there is no memory. */
struct round_copy *round_copy_make(const struct round *round, size_t *bytes, struct fault *fault);

/* Makes the round and its record what they were, but with columns bound to no payload, none of
 * which has been read. Names and values stay in the copy, which must outlive the round. */
void round_copy_restore(const struct round_copy *copy, struct round *round);

#endif
