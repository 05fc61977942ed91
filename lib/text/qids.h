/* qids: the set of query ids that went before. */
#ifndef RANKPIPE_QIDS_H
#define RANKPIPE_QIDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

enum { QIDS_SHELVES = 64 };

/* In many shelves, so that one that grows is not the whole set twice. */
struct qids { /* all zero at first */
    struct qids_shelf {
        uint64_t *slot; /* slot[slots] of hashes, 0 where it is empty */
        size_t slots, used;
    } shelf[QIDS_SHELVES];
    size_t used;
};

/* Enters a qid: 1 where it is new, 0 where it was there, or a fault. It is known by a 64-bit hash
 * alone, at some 16 bytes a qid: that one of ten million is taken for another has a chance of
 * three in a million. */
int qids_enter(struct qids *qids, const char *qid, struct fault *fault);

void qids_close(struct qids *qids);

/* The hash by which it is known, never 0. */
uint64_t qids_hash(const char *qid);

#endif
