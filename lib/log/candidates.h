/* candidates: the documents that could be shown for each query, with their features: stored
 * rounds, found by qid, and their documents by name. Logs seldom have features, so these are joined
 * with them. */
#ifndef RANKPIPE_CANDIDATES_H
#define RANKPIPE_CANDIDATES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/hash_table.h"
#include "io/watch.h"
#include "stream/round.h"
#include "stream/round_store.h"

struct candidates { /* all zero at first */
    struct round_store store;
    struct hash_table queries, documents; /* by where in `text` an entry is, from 1 */
    struct buffer text, names, key;
    size_t bytes;
};

/* Reads all rounds of a file, "-" being standard input. Each has a qid that no other has, and names
 * of its documents, no two equal. `round` is space that may be used. 0 or a fault. O(bytes). */
int candidates_read(struct candidates *candidates, const char *file, struct round *round,
                    struct watch *watch, struct fault *fault);

/* The number of the query with that qid, percent-encoded, from 0; SIZE_MAX where there is none. */
size_t candidates_query(const struct candidates *candidates, const char *qid);

/* The number of the document with that name in query q, from 0; SIZE_MAX where there is none.
 * a size_t is that too. O(bytes of the name) on average. A fault of memory also gives SIZE_MAX. */
size_t candidates_document(struct candidates *candidates, size_t q, const char *name,
                           struct fault *fault);

void candidates_close(struct candidates *candidates);

#endif
