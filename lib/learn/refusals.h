/* refusals: a file of the rounds that a learner refused: "REQUEST TAB REASON", or the number of a
 * round without a request. Lines are added to the file, which may have some. */
#ifndef RANKPIPE_REFUSALS_H
#define RANKPIPE_REFUSALS_H

#include <stdbool.h>

#include "base/fault.h"
#include "stream/round.h"

/* Adds a round that was refused for the reason in `fault`, and syncs the file. 0: the fault is
 * cleared, so that the run can go on. -1: where `ends`, with the fault as it was; or the file
 * cannot be written, which the fault then says too. O(1). */
int refusals_add(const char *path, const struct round *round, bool ends, struct fault *fault);

#endif
