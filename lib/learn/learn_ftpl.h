/* learn_ftpl: follow the perturbed leader on a fixed list of items. */
#ifndef RANKPIPE_LEARN_FTPL_H
#define RANKPIPE_LEARN_FTPL_H

#include "learn/learner.h"

extern const struct learner learn_ftpl;

#endif
