/* products: adds the products of all pairs of features, including squares. */
#ifndef RANKPIPE_PRODUCTS_H
#define RANKPIPE_PRODUCTS_H

#include <stddef.h>

#include "base/fault.h"
#include "feature/rows.h"

/* Writes into `out` the features of `in`, which has *dim = d of them, and their products. With x_0
 * = 1 and the features x_1, x_2 ..., the product of i <= j is at j (j + 1) / 2 + i - 1, which does
 * not depend on d. *dim becomes d (d + 3) / 2. 0, or a fault where that is more than rows_start
 * allows. */
int products_rows(const struct rows *in, size_t *dim, struct rows *out, struct fault *fault);

#endif
