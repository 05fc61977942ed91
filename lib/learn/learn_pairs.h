/* learn_pairs: learners that take the pairs of a query one by one (Wang et al. 2015, and the
 * perceptrons that it compares with). */
#ifndef RANKPIPE_LEARN_PAIRS_H
#define RANKPIPE_LEARN_PAIRS_H

#include "learn/learner.h"

extern const struct learner learn_solar1, learn_solar2, learn_prank_pair, learn_committee;

#endif
