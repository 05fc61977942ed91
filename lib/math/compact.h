/* compact: dense features as whole numbers of 8 or 16 bits: x = offset + step * number, with an
 * offset and a step for each feature. */
#ifndef RANKPIPE_COMPACT_H
#define RANKPIPE_COMPACT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "math/matrix.h"

/* Borrowed bytes, perhaps unaligned, as they lie in the payload of a record. */
struct compact {
    size_t docs, dim;
    size_t width;                       /* bytes of a number: 1 or 2          */
    const unsigned char *offset, *step; /* float[dim] each                    */
    const unsigned char *number;        /* uint8 or uint16[docs][dim]         */
};

/* Memory for the two functions below, all zero at first. */
struct compact_memory {
    struct buffer grid, values, ptr, idx, val;
};

/* Checks that each offset is finite, each step is finite and at least 0, and so is the value of the
 * largest number. 0, or a data fault. O(dim). */
int compact_check(const struct compact *compact, struct fault *fault);

/* Makes *x the features of checked numbers: the product, then the sum, each rounded to a float. The
 * form is dense or sparse, whichever takes fewer bytes (matrix_dense_is_smaller); *x borrows from
 * the memory. 0 or a fault (memory). */
int compact_features(const struct compact *compact, struct compact_memory *memory,
                     struct matrix *x, struct fault *fault);

void compact_close(struct compact_memory *memory);

#endif
