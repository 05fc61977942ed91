/* qids: the set of query ids that went before. */
#ifndef RANKPIPE_QIDS_H
#define RANKPIPE_QIDS_H

#include <stddef.h>
#include <stdint.h>

#include "fault.h"

struct qids { /* all zero at first */
    uint64_t *slot;
    size_t slots, used;
};

/* Enters a qid: 1 where it is new, 0 where it was there, or a fault. It is known by a 64-bit hash
 * alone, at some 16 bytes a qid: that one of ten million is taken for another has a chance of
 * three in a million. */
int qids_enter(struct qids *qids, const char *qid, struct fault *fault);

void qids_close(struct qids *qids);

#endif
