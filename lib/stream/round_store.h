/* round_store: the rounds of stored streams, by number. */
#ifndef RANKPIPE_ROUND_STORE_H
#define RANKPIPE_ROUND_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/watch.h"
#include "stream/round.h"

struct round_store { /* all zero at first */
    struct buffer stored, places; /* of each stream; where each round is */
    struct buffer headers;        /* parsed headers of the first `parsed` rounds */
    size_t streams, rounds, parsed, parsed_bytes;
};

/* Reads a file ("-" is standard input) to its end, checks it, and adds its rounds. A regular file
 * is mapped. Anything else is read into memory. Returns 0 or a fault, also if the file holds a
 * model, or if the store would have more than 2^32 - 1 rounds. */
int round_store_add(struct round_store *store, const char *file, struct watch *watch,
                    struct fault *fault);

/* Makes *round and its record round i, from 0. round_read may follow: it reads the columns, and the
 * header unless the store has kept it parsed. The payload stays the store's. Returns 0, or a fault
 * if the file has changed. O(header). */
int round_store_round(const struct round_store *store, size_t i, struct round *round,
                      struct fault *fault);

/* Round i comes next: the processor may fetch its header and the first page of its payload. */
void round_store_prefetch(const struct round_store *store, size_t i);

/* Are the mapped files as long as they were? 0 or a fault. O(files). */
int round_store_unchanged(const struct round_store *store, struct fault *fault);

void round_store_close(struct round_store *store);

#endif
