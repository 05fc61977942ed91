/* products: the products of each two features, squares included, beside the features. */
#ifndef RANKPIPE_PRODUCTS_H
#define RANKPIPE_PRODUCTS_H

#include <stddef.h>

#include "base/fault.h"
#include "feature/rows.h"

/* Into `out` the features of `in`, which is *dim wide, and their products. With x_0 = 1 before the
 * features x_1, x_2 ..., the pair of i <= j is at j (j + 1) / 2 + i - 1: so that a feature is where
 * it is whatever the width. *dim becomes d (d + 3) / 2. 0, or a fault where that, or what is to be
 * written, is more than rows_start allows. */
int products_rows(const struct rows *in, size_t *dim, struct rows *out, struct fault *fault);

#endif
