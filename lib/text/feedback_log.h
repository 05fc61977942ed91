/* feedback_log: reads the feedback on rounds from a log, one line a round: "17 TAB 0 1 0" has the
 * relevance of the first three documents shown, "17 TAB -" says that no feedback will come. */
#ifndef RANKPIPE_FEEDBACK_LOG_H
#define RANKPIPE_FEEDBACK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/lines.h"
#include "io/wait.h"
#include "text/qids.h"

struct answer { /* the feedback on one round */
    const char *file; /* where it was read; the caller's name */
    uint64_t line;
    size_t places; /* 0: no feedback will come              */
    float *seen;   /* seen[places], finite, at least 0      */
    char *key;     /* t or qid of its round                 */
    struct answer *older, *newer, *chain; /* by age; in its bucket */
};

struct feedback_log {
    struct lines lines;
    bool by_qid;        /* keys are qids as in a header; else round numbers t */
    struct qids before; /* keys of all lines so far */
    struct answer *oldest, *newest; /* those read and not found yet, by age */
    struct answer **bucket;         /* bucket[buckets]: the same, by the hash of their keys */
    size_t buckets, held;
    struct buffer values; /* of the current line */
};

/* Opens `files` as lines_open does, and the first file at once. No line is read before one is
 * needed. 0 or a fault; to be closed either way. */
int feedback_log_open(struct feedback_log *log, char *const *files, bool by_qid,
                      struct watch *watch, struct fault *fault);

/* Reads on until the answer with that key has come. 1: *found is it, to be released with free(). 0:
 * the log ended without it. -1: a fault. FAULT_DATA means a line that is not an answer, or the
 * second one with its key; the next call goes on after that line. */
int feedback_log_find(struct feedback_log *log, const char *key, struct answer **found,
                      struct fault *fault) __attribute__((warn_unused_result));

/* Reads to the end, then returns as feedback_log_find the oldest answer that was not found yet. */
int feedback_log_rest(struct feedback_log *log, struct answer **found, struct fault *fault)
    __attribute__((warn_unused_result));

void feedback_log_close(struct feedback_log *log);

#endif
