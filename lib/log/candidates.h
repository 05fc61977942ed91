/* candidates: the documents that could be shown for each query, with their features: stored
 * rounds, found by qid, and their documents by name. Logs seldom have features, so these are joined
 * with them. */
#ifndef RANKPIPE_CANDIDATES_H
#define RANKPIPE_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/watch.h"
#include "log/pair_names.h"
#include "stream/round.h"
#include "stream/round_store.h"

struct candidates { /* all zero at first */
    struct round_store store;
    struct pair_names names; /* queries by the numbers of their rounds; documents by theirs */
    struct buffer list;
};

/* Reads all rounds of a file, "-" being standard input. Each has a qid that no other has, and names
 * of its documents, no two equal. `round` is space that may be used. 0 or a fault. O(bytes). */
int candidates_read(struct candidates *candidates, const char *file, struct round *round,
                    struct watch *watch, struct fault *fault);

/* Which query, or which document of query q, a name may have meant that is not there: one that is
 * the same when %XX and ~XX are bytes, however often they were encoded, + is a blank, and capitals
 * do not count; else the nearest (names.h). Copies it, ended by NUL. False: none is near, or
 * something failed. O(candidates). */
enum { CANDIDATES_NAME = 256 };
bool candidates_nearest_query(const struct candidates *candidates, const char *qid,
                              struct round *round, char nearest[CANDIDATES_NAME]);
bool candidates_nearest_document(struct candidates *candidates, size_t q, const char *name,
                                 struct round *round, char nearest[CANDIDATES_NAME]);

void candidates_close(struct candidates *candidates);

#endif
