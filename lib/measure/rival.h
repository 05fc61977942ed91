/* rival: which of two rankings won a round in which they were interleaved (Radlinski, Kurup and
 * Joachims 2008). */
#ifndef RANKPIPE_RIVAL_H
#define RANKPIPE_RIVAL_H

#include "base/fault.h"
#include "stream/round.h"

/* *won is 1 if more of the feedback above 0 is on documents that the rival chose, -1 if less, and 0
 * if as much. 0, or a data fault where the round lacks team or seen. O(places). */
int rival_won(const struct round *round, double *won, struct fault *fault);

#endif
