/* round_names: the names of a round's documents, from its column name. */
#ifndef RANKPIPE_ROUND_NAMES_H
#define RANKPIPE_ROUND_NAMES_H

#include "base/buffer.h"
#include "base/fault.h"
#include "stream/round.h"

/* Points *name at name[docs], in `buffer`, each ended by NUL and good as long as the round's
 * payload; NULL where the round has no names. They are words without blanks and control characters,
 * where "" is none. 0, or a fault where the column does not hold such names. O(bytes). */
int round_names(const struct round *round, struct buffer *buffer, const char *const **name,
                struct fault *fault);

/* A data fault: the name of document i is not one word. Returns -1. */
int round_names_wrong(size_t i, struct fault *fault);

#endif
