/* drawn: the scores that the policy uniform draws in rounds that explore (Chaudhuri & Tewari 2016,
 * Algorithm 1): m numbers, each uniform on [0, 1], in the order that was shown. */
#ifndef RANKPIPE_DRAWN_H
#define RANKPIPE_DRAWN_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "stream/round.h"

/* *score: the round's own scores where it did not explore; else scores drawn by (seed, round
 * number), so that sorting them gives the order shown. They lie in `buffer` or in the round. A data
 * fault where another policy than uniform explored. `name` is the measure that asks. O(m log m). */
int drawn_scores(const struct round *round, uint64_t seed, const char *name,
                 struct buffer *buffer, const double **score, struct fault *fault);

#endif
