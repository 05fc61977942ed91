/* joiner: finds the feedback on rounds in a log of feedback: by number, qid or request. */
#ifndef RANKPIPE_JOINER_H
#define RANKPIPE_JOINER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "io/watch.h"
#include "stream/round.h"
#include "log/feedback_log.h"
#include "log/key_set.h"

struct joiner { /* all zero at first; the first three are set by the caller */
    const char *key; /* by which answers name rounds: "t", "qid" or "request" */
    uint64_t places; /* that an answer must have, at most the documents; 0: any number */
    float grade;     /* the largest relevance of an answer */
    struct feedback_log log;
    struct key_set before; /* keys of the rounds so far */
    char t[24];
};

/* Opens the log, as feedback_log_open does. 0 or a fault; to be closed either way. */
int joiner_open(struct joiner *joiner, char *const *files, struct watch *watch,
                struct fault *fault);

/* Checks that a round can be joined: its key is there and new, it was shown, and has no feedback.
 * *key is valid until the next call. 0 or a data fault. */
int joiner_key(struct joiner *joiner, const struct round *round, const char **key,
               struct fault *fault);

/* Reads on until the answer to a round has come. *answer is to be freed.
 *   ANSWERED        *answer is it
 *   ANSWERED_NOT    there is none: *answer says so, or is NULL at the end of the log
 *   ANSWERED_FAULT  FAULT_DATA: an answer cannot be used */
enum answered joiner_find(struct joiner *joiner, const struct round *round, const char *key,
                          struct answer **answer, struct fault *fault);

void joiner_close(struct joiner *joiner);

#endif
