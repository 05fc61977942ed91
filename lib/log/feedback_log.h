/* feedback_log: reads the feedback on rounds from a log, one line a round: "17 TAB 0 1 0" has the
 * relevance of the first three documents shown, "17 TAB -" says that no feedback will come. After
 * the key a line may say when it came, in milliseconds since 1970, then which client gave it, and
 * then that it has clicks, not relevance, each worth from 0, which is none, to 1: "17 TAB
 * time=1732263060123 client=5f3759df clicks=1 0 1 0". "- time=1732263060123" is no answer, and "-"
 * says that its file ends. */
#ifndef RANKPIPE_FEEDBACK_LOG_H
#define RANKPIPE_FEEDBACK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/hash_table.h"
#include "io/lines.h"
#include "io/watch.h"
#include "log/key_set.h"

struct answer { /* the feedback on one round */
    const char *file; /* where it was read; the caller's name */
    uint64_t line;
    size_t places; /* 0: no feedback will come              */
    float *seen;   /* seen[places]: finite, at least 0, of clicks at most 1 */
    bool clicks;   /* is it clicks, not relevance?          */
    char *key;     /* t, qid or request of its round        */
    char *client;  /* who gave it, written as a qid; NULL: not known */
    struct answer *older, *newer; /* by age */
};

struct feedback_log {
    struct lines lines;
    struct key_set before;     /* keys of the lines so far */
    struct answer *oldest, *newest; /* those read and not found yet, by age */
    struct hash_table held;              /* the same, by their keys */
    struct buffer values; /* of the current line */
};

/* Opens `files` as lines_open does, and the first file at once. No line is read before one is
 * needed. A named FIFO ends by a line "-" alone, not when its writers close it. Keys are as
 * `before`, an empty set, has them. 0 or a fault; to be closed either way. */
int feedback_log_open(struct feedback_log *log, char *const *files, const struct key_set *before,
                      struct watch *watch, struct fault *fault);

enum answered { ANSWERED_FAULT = -1, ANSWERED_NOT, ANSWERED };

/* Reads on until the answer with that key has come. ANSWERED: *found is it, to be released with
 * free(). ANSWERED_NOT: the log has ended. FAULT_DATA means a line that is not an answer, or the
 * second one with its key. */
enum answered feedback_log_find(struct feedback_log *log, const char *key, struct answer **found,
                                struct fault *fault)
    __attribute__((warn_unused_result));

/* Reads to the end, where FIFOs end too when no writer has them open, then returns as
 * feedback_log_find the oldest answer that was not found yet. */
enum answered feedback_log_rest(struct feedback_log *log, struct answer **found,
                                struct fault *fault)
    __attribute__((warn_unused_result));

void feedback_log_close(struct feedback_log *log);

#endif
