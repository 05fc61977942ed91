/* learner_status: what a learner in service has done so far, as metrics for Prometheus: the file
 * `status` of a generation, from which the next one goes on counting. */
#ifndef RANKPIPE_LEARNER_STATUS_H
#define RANKPIPE_LEARNER_STATUS_H

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "log/troubles.h"

struct learner_status { /* all zero at first */
    uint64_t time;    /* of the last run, in milliseconds since 1970 */
    uint64_t learnt_time; /* of the last run that learnt; 0: none did */
    uint64_t rounds, answers, learnt, given_up; /* so far: read, read, learnt, without an answer */
    uint64_t waiting, early; /* now: rounds that wait, answers that came before their rounds */
    uint64_t oldest;      /* time of the oldest round that waits; 0: none does */
    uint64_t troubles[TROUBLES]; /* so far */
};

/* Reads the status of the generation in a folder: 0 or a fault. Without one all is 0. */
int learner_status_read(struct learner_status *status, const char *folder, struct fault *fault);

/* Writes it. 0 or a fault. */
int learner_status_write(const struct learner_status *status, const char *folder,
                         struct fault *fault);

#endif
