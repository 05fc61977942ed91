/* round_fingerprint: the column fingerprint, by which documents without names are known. */
#ifndef RANKPIPE_ROUND_FINGERPRINT_H
#define RANKPIPE_ROUND_FINGERPRINT_H

#include "base/buffer.h"
#include "base/fault.h"
#include "math/matrix.h"
#include "stream/round.h"

/* The column of documents' names, each ended by NUL. */
#define ROUND_NAMES "name"

/* Adds the fingerprints of the features x, where the round has neither names nor the column
 * already, and x is not MATRIX_UNIT: they stay those of the features that came first. 0 or a fault.
 * `scratch` is space that may be used again. */
int round_fingerprint(struct round *round, const struct matrix *x, struct buffer *scratch,
                      struct fault *fault);

#endif
