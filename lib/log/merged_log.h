/* merged_log: what a log that takes rounds of other logs has: each request once, and numbers of its
 * own. */
#ifndef RANKPIPE_MERGED_LOG_H
#define RANKPIPE_MERGED_LOG_H

#include <stdint.h>

#include "base/fault.h"
#include "stream/round.h"
#include "base/name_set.h"

struct merged_log { /* all zero at first */
    struct name_set requests; /* of its rounds */
    uint64_t last;        /* the number of its last round; 0: none */
};

/* Reads the log of that name in a folder, which exists: O(its bytes). 0 or a fault; to be closed
 * either way. */
int merged_log_open(struct merged_log *log, const char *folder, const char *name,
                    struct fault *fault);

/* Gives a round the next number, in the round and in its record, if its request is new to the log.
 * A fault where the round has no request. Takes 16 bytes and one and a half times
 * the length of the request. */
enum entered merged_log_number(struct merged_log *log, struct round *round, struct fault *fault);

void merged_log_close(struct merged_log *log);

#endif
