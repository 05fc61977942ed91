/* round_matrix: the features of a round, read as a matrix and replaced by another one. */
#ifndef RANKPIPE_ROUND_MATRIX_H
#define RANKPIPE_ROUND_MATRIX_H

#include <stddef.h>

#include "base/fault.h"
#include "math/matrix.h"
#include "stream/round_fields.h"

/* Points *x at the features in the payload, and checks them: the columns are those of one form,
 * ptr rises to the number of values, idx rises below dim in each document. Compact features are
 * expanded into memory of the round, once. 0, or a fault. O(values of a sparse or compact form),
 * else O(1). */
int round_matrix(const struct round *round, struct matrix *x, struct fault *fault);

/* Replaces the round's features by those of a matrix, which stay the caller's, as the last columns,
 * and sets dim=. The matrix has as many documents as the round. 0, or a fault. */
int round_new_features(struct round *round, const struct matrix *x, struct fault *fault);

/* The same with features rounded to numbers of `bits`, 8 or 16, in compact form; or without, where
 * that takes no fewer bytes or their values are too large for it. */
int round_new_compact(struct round *round, const struct matrix *x, unsigned bits,
                      struct fault *fault);

/* Bytes of a record's features where they are its last columns, else 0. */
size_t round_feature_bytes(struct record *record);

#endif
