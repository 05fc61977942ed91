/* learn_prank: PRank, ordinal regression with a perceptron (Crammer & Singer 2001), which Wang et
 * al. 2015 compare with. */
#ifndef RANKPIPE_LEARN_PRANK_H
#define RANKPIPE_LEARN_PRANK_H

#include "learn/learner.h"

extern const struct learner learn_prank;

#endif
