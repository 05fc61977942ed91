/* learn_ftpl: what the perturbed leader adds up for a fixed list of items. */
#ifndef RANKPIPE_LEARN_FTPL_H
#define RANKPIPE_LEARN_FTPL_H

#include "learn/learner.h"

extern const struct learner learn_ftpl;

#endif
