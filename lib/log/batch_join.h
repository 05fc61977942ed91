/* batch_join: one run of a learner in service: joins the rounds that are new in its logs, and those
 * that waited, with the answers of its batch. Everything that a run knows of the runs before it is
 * in the folder STATE/before, and everything that it leaves to the next one in STATE:
 *
 *     batch       what it reads of which files, and its time      (log/batch.h)
 *     waiting     rounds without an answer                        (log/waiting.h)
 *     early       answers without a round, as lines of answers
 *     learnt      hashes of the last million requests             (log/learnt.h)
 *     quarantine  records that cannot be used, with the reason    (log/troubles.h)
 *     status      counts                                          (log/learner_status.h)
 *     damaged     files of logs of which the rest was left out, each with the reason after a tab;
 *                 written by spool -r -s
 *     refused     requests that the learner has refused, each with its reason after a tab; read if
 *                 the run is repeated, and not written here
 *
 * Answered rounds come in the order of (time of the answer, path of its file, byte). An answer
 * counts if it is at most `wait` later than its round. A round is given up when the time of the
 * run is more than wait + delay past its own; so is an answer without a round. */
#ifndef RANKPIPE_BATCH_JOIN_H
#define RANKPIPE_BATCH_JOIN_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/hash_table.h"
#include "io/watch.h"
#include "log/batch.h"
#include "log/feedback_log.h"
#include "log/learner_status.h"
#include "log/learnt.h"
#include "log/spool_fetch.h"
#include "log/troubles.h"
#include "log/waiting.h"
#include "stream/round.h"

struct batch_join { /* all zero at first; the first five are set by the caller */
    const char *state;      /* the folder */
    uint64_t wait, delay;   /* milliseconds */
    uint64_t places;        /* that an answer must have, at most the documents; 0: any number */
    float grade;            /* the largest relevance that is believed */
    struct batch batch;
    struct waiting waiting, refused; /* refused: `stored` is the reason */
    struct learnt learnt;
    struct troubles troubles;
    struct learner_status status;
    struct spool_fetch fetch;
    struct buffer answers;  /* struct answer *[count], by time; NULL: one that is done with */
    size_t count, at;
    struct hash_table table; /* of answers, by their keys */
    uint64_t early;
    char before[4096], early_path[4096 + 8];
};

/* Reads the state and the answers of the batch, from files below `folders`. 0 or a fault; to be
 * closed either way. */
int batch_join_open(struct batch_join *join, char *const *folders, struct watch *watch,
                    struct fault *fault);

/* Takes a round that is new in a log, with the key stored. A round that has its answer, and no such
 * key, counts as learnt before. 0 or a fault. */
int batch_join_round(struct batch_join *join, const struct round *round, struct fault *fault);

/* Takes a round that is malformed, in a record that can be read. 0 or a fault. */
int batch_join_malformed(struct batch_join *join, const struct record *record, const char *why,
                         struct fault *fault);

/* Once all rounds have come: reads the next one that is answered into `round`. ANSWERED: *answer
 * has its answer, and is valid until the next call. ANSWERED_NOT: that was all. */
enum answered batch_join_next(struct batch_join *join, struct round *round,
                              const struct answer **answer, struct fault *fault);

/* Writes the state. 0 or a fault. */
int batch_join_finish(struct batch_join *join, struct fault *fault);

void batch_join_close(struct batch_join *join);

#endif
