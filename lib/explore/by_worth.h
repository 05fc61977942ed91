/* by_worth: which documents are shown first for what their judgements are worth, given what that
 * costs the list. */
#ifndef RANKPIPE_BY_WORTH_H
#define RANKPIPE_BY_WORTH_H

#include <stddef.h>
#include <stdint.h>

/* Places with a discount: D_k = 1 / log2(k + 1) for k = 1 to 10, then 0. */
enum { BY_WORTH_PLACES = 10 };

/* order[docs], which is by score, highest first, becomes the order to show, where the first k
 * documents are judged. Each of places k, k - 1, ... 1 goes to the document below place k for which
 * worth less loss is greatest, if it is above that of the place's document, which goes to place
 * k + 1, and its own worth above 0. The loss is that of the sum of D times score. At last the first
 * k are in the order of their scores. A k above 10 counts as 10. O(k docs). */
void by_worth_raise(size_t docs, const double *score, const double *worth, size_t k,
                    uint32_t *order);

#endif
