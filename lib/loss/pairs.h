/* pairs: a query's pairs of documents of which one is more relevant, in the order in which a
 * learner takes them. */
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
    const struct pair *drawn; /* drawn[n]; NULL: document order */
    size_t n, next;           /* of those drawn                 */
    size_t better, worse;     /* else, the next to look at      */
};

/* Makes ready all pairs, in an order that is drawn from rng and lies in `space`, 8 bytes a pair and
 * at most 2^26 of them (else a fault); or, where rng is NULL, by the better document and then the
 * worse one. O(m^2). */
int pairs_start(struct pairs *pairs, const struct feedback *feedback, struct rng *rng,
                struct buffer *buffer, struct fault *fault);

/* The next pair, or false: there is none. */
bool pairs_next(struct pairs *pairs, struct pair *pair);

#endif
