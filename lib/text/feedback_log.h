/* feedback_log: what people said of rounds, a line each: "17 TAB 0 1 0" or "17 TAB -". */
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

struct answer {
    const char *file; /* where it stands; the caller's name */
    uint64_t line;
    size_t places; /* 0: there will be no answer          */
    float *seen;   /* seen[places], finite and not below 0 */
    char *key;     /* t or qid of its round                */
    struct answer *older, *newer, *chain;
};

struct feedback_log {
    struct lines lines;
    bool by_qid;        /* keys are qids as in a header; else numbers t                       */
    struct qids before; /* keys of all answers so far                                         */
    struct answer *oldest, *newest, **shelf; /* those not taken: by age, and by key            */
    size_t shelves, held;
    struct buffer values; /* of the line at hand */
};

/* Reads lines of `files`, as lines_open does, and none before one is asked for; the first file is
 * opened. 0 or a fault, and to be closed either way. */
int feedback_log_open(struct feedback_log *log, char *const *files, bool by_qid,
                      struct watch *watch, struct fault *fault);

/* The answer with that key, reading on until it has come: 1, and it is the caller's, to be given to
 * free(). 0: the lines are at their end, and it has not come. -1: a fault; after FAULT_DATA, a line
 * that is no answer or the second one of its key, asking again goes on behind that line. */
int feedback_log_find(struct feedback_log *log, const char *key, struct answer **found,
                 struct fault *fault) __attribute__((warn_unused_result));

/* Any answer that was not taken, those that came first before others: as feedback_log_find, which
 * waits for the last line too. */
int feedback_log_rest(struct feedback_log *log, struct answer **found, struct fault *fault)
    __attribute__((warn_unused_result));

void feedback_log_close(struct feedback_log *log);

#endif
