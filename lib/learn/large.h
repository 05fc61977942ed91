/* large: notices raw features so large that most learners are ruined by them. */
#ifndef RANKPIPE_LARGE_H
#define RANKPIPE_LARGE_H

#include <stdbool.h>

#include "base/fault.h"
#include "stream/round.h"

/* Has a round whose features nothing made one that is above 100 or below -100? Then *line names the
 * first and says what to do. O(features). */
bool large_features(const struct round *round, struct fault *line);

#endif
