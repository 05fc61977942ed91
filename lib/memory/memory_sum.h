/* memory_sum: the tables of a memory that learnt from a log, from those of its shares. A sum over
 * queries: the answers about a pair must all be in one share. */
#ifndef RANKPIPE_MEMORY_SUM_H
#define RANKPIPE_MEMORY_SUM_H

#include "base/fault.h"
#include "memory/memory_tables.h"

/* Adds the tables of a share that has learnt `more` rounds to those of the shares before, which
 * have learnt `rounds`. Visits of a query add up. The number of its last round becomes what it is
 * if the rounds of all shares are mixed evenly. A slot of dropped pairs that is low in one share
 * and high in another is high. 0; or a fault: memory, or pairs that both have, which the text
 * counts; nothing has changed then. */
int memory_sum_add(struct memory_tables *tables, double rounds, const struct memory_tables *share,
                   double more, struct fault *fault);

#endif
