/* pairs: the pairs of documents with different relevance, in the order in which a learner takes
 * them. */
#ifndef RANKPIPE_PAIRS_H
#define RANKPIPE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "explore/feedback.h"
#include "math/rng.h"

struct pair {
    uint32_t better, worse; /* documents, R_better > R_worse */
};

struct pairs {
    const struct feedback *feedback;
    const struct pair *drawn; /* drawn[n], shuffled; NULL: document order    */
    size_t n, next;           /* of all pairs; of those taken, where drawn    */
    size_t better, worse;     /* in document order: the next two to compare   */
    const double *least;      /* a tree of the lowest relevance of each block */
    size_t blocks;            /* leaves of the tree, a power of two           */
};

/* Prepares all pairs, shuffled by `rng`, or, if rng is NULL, by the better document and then the
 * worse one. Shuffled pairs take 8 bytes each in `buffer`. Borrows feedback and buffer. O(m log m)
 * for m documents, and if shuffled O(1) a pair. */
int pairs_start(struct pairs *pairs, const struct feedback *feedback, struct rng *rng,
                struct buffer *buffer, struct fault *fault);

/* The next pair, or false after the last. O(log m), and O(1) where most documents are worse. */
bool pairs_next(struct pairs *pairs, struct pair *pair);

#endif
