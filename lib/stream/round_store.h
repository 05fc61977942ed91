/* round_store: the rounds of stored streams, by number. */
#ifndef RANKPIPE_ROUND_STORE_H
#define RANKPIPE_ROUND_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/wait.h"
#include "stream/round.h"

struct round_store { /* all zero at first */
    struct buffer stored, places; /* of each stream; where each round is */
    size_t streams, rounds;
};

/* Adds the rounds of a file ("-" is standard input), which is read to its end and checked. A
 * regular file is mapped; anything else is read into memory. A fault where it holds a model, or
 * more than 2^32 - 1 rounds come together. 0 or a fault. */
int round_store_add(struct round_store *store, const char *file, struct watch *watch,
                    struct fault *fault);

/* Makes *round and its record round i, from 0, as after round_header, which was done when the round
 * was added; round_read then reads its columns alone. Header and payload stay the store's.
 * O(header). */
void round_store_round(const struct round_store *store, size_t i, struct round *round);

void round_store_close(struct round_store *store);

#endif
