/* qids: a set of query ids, to notice one that comes twice. */
#ifndef RANKPIPE_QIDS_H
#define RANKPIPE_QIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/siphash.h"

enum { QIDS_PARTS = 64 };

/* A hash table in many parts, so that memory for a second copy is needed of one part only when it
 * grows. The key of the hash is random. */
struct qids { /* all zero at first */
    struct qids_part {
        struct qids_slot {
            uint32_t hash; /* the upper half; the lower one chose the part         */
            uint32_t at;   /* where in `text` the qid is, from 1; 0: an empty slot */
        } *slot;           /* slot[slots] */
        size_t slots, used;
        struct buffer text; /* the qids, each ended by NUL */
        size_t bytes;
    } part[QIDS_PARTS];
    struct siphash start; /* of each hash */
    bool started;
    size_t used;
};

/* Adds a qid: 1 where it is new, 0 where the set has it, or a fault (memory). A qid takes at most
 * 16 bytes and one and a half times its length. O(its length) on average, for any qids. */
int qids_enter(struct qids *qids, const char *qid, struct fault *fault);

void qids_close(struct qids *qids);

/* The hash of a qid under the key of the set, which must have at least one. */
uint64_t qids_hash(const struct qids *qids, const char *qid);

#endif
