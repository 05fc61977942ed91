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

/* Adds the rounds of a file ("-" is standard input), which is read to its end and checked. A
 * regular file is mapped; anything else is read into memory. A fault where it holds a model, or
 * more than 2^32 - 1 rounds come together. 0 or a fault. */
int round_store_add(struct round_store *store, const char *file, struct watch *watch,
                    struct fault *fault);

/* Makes *round and its record round i, from 0, so that round_read may follow: it reads the columns,
 * and the header only where that is not kept parsed. Its payload stays the store's. 0; or a fault,
 * where the file has changed. O(header). */
int round_store_round(const struct round_store *store, size_t i, struct round *round,
                      struct fault *fault);

/* Round i comes next: the processor may fetch its header and the first page of its payload. */
void round_store_prefetch(const struct round_store *store, size_t i);

/* Are the mapped files as long as they were? 0 or a fault. O(files). */
int round_store_unchanged(const struct round_store *store, struct fault *fault);

void round_store_close(struct round_store *store);

#endif
