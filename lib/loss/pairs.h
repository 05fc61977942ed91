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
    const struct pair *drawn; /* drawn[n], shuffled; NULL: document order   */
    size_t n, next;           /* drawn, and taken of these                  */
    size_t better, worse;     /* in document order: the next two to compare */
};

/* Prepares all pairs, shuffled by `rng`, or, if rng is NULL, by the better document and then the
 * worse one. Shuffled pairs take 8 bytes each in `buffer`. Borrows feedback and buffer. 0 or a
 * fault (memory). O(m^2) for m documents. */
int pairs_start(struct pairs *pairs, const struct feedback *feedback, struct rng *rng,
                struct buffer *buffer, struct fault *fault);

/* The next pair, or false after the last. All calls together take O(m^2). */
bool pairs_next(struct pairs *pairs, struct pair *pair);

#endif
