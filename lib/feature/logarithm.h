/* logarithm: the step log, for features with long tails: sign(v) ln(1 + |v|). */
#ifndef RANKPIPE_LOGARITHM_H
#define RANKPIPE_LOGARITHM_H

#include "base/fault.h"
#include "feature/rows.h"

/* Writes into `out` the features of `in`, which has dim of them, each so changed. 0, or a fault for
 * one that is not finite. */
int logarithm_rows(const struct rows *in, size_t dim, struct rows *out, struct fault *fault);

#endif
