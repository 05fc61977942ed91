/* round_store: the rounds of stored streams, each to be had by its number. */
#ifndef RANKPIPE_ROUND_STORE_H
#define RANKPIPE_ROUND_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/wait.h"
#include "stream/record.h"

struct round_store { /* all zero at first */
    struct buffer stored, cards;
    size_t streams, rounds;
};

/* Adds the rounds of a file ("-" is standard input), which is read to its end and checked. A
 * regular file is mapped, anything else read into memory. At most 2^32 - 1 rounds, and no model.
 * 0 or a fault. */
int round_store_add(struct round_store *store, const char *file, struct watch *watch,
                    struct fault *fault);

/* Round i, from 0, bound to a payload that is the deck's, as its header is. */
void round_store_round(const struct round_store *store, size_t i, struct record *record);

void round_store_close(struct round_store *store);

#endif
