/* long_order: a sort of millions of documents that a signal may stop. */
#ifndef RANKPIPE_LONG_ORDER_H
#define RANKPIPE_LONG_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/watch.h"

/* As order_by_score, and counts its steps as `work`, which may be NULL. False if the work was
 * stopped: order[m] then holds documents, some of them twice. */
bool long_order(struct long_work *work, size_t m, const double *score, uint32_t *order,
                uint32_t *scratch);

#endif
