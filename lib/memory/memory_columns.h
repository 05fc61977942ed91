/* memory_columns: what a memory remembers as columns of a model or of a message: keys, answers and
 * sums. */
#ifndef RANKPIPE_MEMORY_COLUMNS_H
#define RANKPIPE_MEMORY_COLUMNS_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "memory/memory_table.h"
#include "stream/model.h"

/* Adds all entries of the table, which must not change while the model is written or read. The
 * model borrows both. 0 or a fault. */
int memory_columns_put(struct buffer *buffer, const struct memory_table *table,
                       struct model *model, struct fault *fault);

/* Adds the entries of the keys key[n] alone; the model borrows `key` and the buffer. */
int memory_columns_put_some(struct buffer *buffer, const struct memory_table *table,
                            const uint64_t *key, size_t n, struct model *model,
                            struct fault *fault);

/* The table that memory_columns_put made the columns of, in this process and not copied since; NULL
 * where the model's numbers lie in columns. */
const struct memory_table *memory_columns_table(const struct model *model);

/* The arrays of entries of a model, as they lie in it: 0, or a fault where they are not there or
 * not of one length. */
int memory_columns_find(const struct model *model, struct memory_arrays *arrays,
                        struct fault *fault);

/* Are the keys above 0 and rising, and the numbers such as answers give? 0 or a data fault. */
int memory_columns_check(const struct memory_arrays *arrays, struct fault *fault);

#endif
