/* qids: a set of query ids, to notice one that comes twice. */
#ifndef RANKPIPE_QIDS_H
#define RANKPIPE_QIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

enum { QIDS_PARTS = 64 };

/* A hash table in many parts, so that memory for a second copy is needed of one part only when it
 * grows. */
struct qids { /* all zero at first */
    struct qids_part {
        uint64_t *slot; /* slot[slots]: hashes; 0: empty */
        size_t slots, used;
    } part[QIDS_PARTS];
    size_t used;
};

/* Adds a qid: 1 where it is new, 0 where the set has it, or a fault. The set has 64-bit hashes
 * only, about 16 bytes a qid: among ten million qids, the probability that two share a hash is 3 in
 * a million. O(1) on average. */
int qids_enter(struct qids *qids, const char *qid, struct fault *fault);

/* Does the set have this qid? */
bool qids_has(const struct qids *qids, const char *qid);

void qids_close(struct qids *qids);

/* The hash of a qid, never 0. */
uint64_t qids_hash(const char *qid);

#endif
