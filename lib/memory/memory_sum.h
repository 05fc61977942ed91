/* memory_sum: the tables of a memory that learnt from a log, from those of its shares. A sum over
 * queries: the answers about a pair must all be in one share. */
#ifndef RANKPIPE_MEMORY_SUM_H
#define RANKPIPE_MEMORY_SUM_H

#include "base/fault.h"
#include "memory/memory_table.h"

/* The tables of memory_columns.h, after so many rounds. */
struct memory_tables {
    struct memory_table *pairs, *queries;
    double rounds;
};

/* Adds the tables of a share. Visits of a query add up. The number of its last round becomes what
 * it is if the rounds of all shares are mixed evenly. 0; or a fault: memory, or pairs that both
 * have, which the text counts; nothing has changed then. */
int memory_sum_add(const struct memory_tables *tables, const struct memory_tables *share,
                   struct fault *fault);

#endif
