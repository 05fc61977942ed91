/* pairs: a query's pairs of documents of which one is more relevant, in the order in which a
 * learner takes them. */
#ifndef RANKPIPE_PAIRS_H
#define RANKPIPE_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "fault.h"
#include "heard.h"
#include "rng.h"
#include "space.h"

struct pair {
    uint32_t better, worse; /* documents, R_better > R_worse */
};

/* All pairs, *n of them, in an order that is drawn from rng, or by the better document and then
 * the worse one where rng is NULL. They lie in `space`. O(m^2) time, 8 bytes a pair. */
struct pair *pairs_of(const struct heard *heard, struct rng *rng, size_t *n, struct space *space,
                      struct fault *fault);

#endif
