/* pool_evidence: arranges the counts of a pool by query, document and position. */
#ifndef RANKPIPE_POOL_EVIDENCE_H
#define RANKPIPE_POOL_EVIDENCE_H

#include "base/fault.h"
#include "relevance/pool.h"

/* After pool_finish, fills in pool->evidence, order and lost: queries sorted by qid, and documents
 * as they came, or sorted by name where there are no features. 0 or a fault (memory). O(n log n) in
 * queries and cells. */
int pool_arrange(struct pool *pool, struct fault *fault);

#endif
