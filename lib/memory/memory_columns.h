/* memory_columns: what a memory remembers as columns of a model or of a message: of pairs keys,
 * answers and sums; of queries keys, and how many of their rounds were learnt (n). */
#ifndef RANKPIPE_MEMORY_COLUMNS_H
#define RANKPIPE_MEMORY_COLUMNS_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "memory/memory_table.h"
#include "stream/model.h"

enum memory_kind { MEMORY_PAIRS, MEMORY_QUERIES };

/* Adds all entries of the table, which must not change while the model is written or read. The
 * model borrows both. 0 or a fault. */
int memory_columns_put(enum memory_kind kind, struct buffer *buffer,
                       const struct memory_table *table, struct model *model,
                       struct fault *fault);

/* Adds the entries of the keys key[n] alone; the model borrows `key` and the buffer. */
int memory_columns_put_some(enum memory_kind kind, struct buffer *buffer,
                            const struct memory_table *table, const uint64_t *key, size_t n,
                            struct model *model, struct fault *fault);

/* The table that memory_columns_put made the columns of, in this process and not copied since; NULL
 * where the model's numbers lie in columns. */
const struct memory_table *memory_columns_table(enum memory_kind kind, const struct model *model);

/* The arrays of entries of a model, as they lie in it; those of queries have no sums. 0, or a fault
 * where they are not there or not of one length. A model from before 1.1 has no queries: none. */
int memory_columns_find(enum memory_kind kind, const struct model *model,
                        struct memory_arrays *arrays, struct fault *fault);

/* Are the keys above 0 and rising, and the numbers such as answers give? 0 or a data fault. */
int memory_columns_check(const struct memory_arrays *arrays, struct fault *fault);

#endif
