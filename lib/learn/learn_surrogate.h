/* learn_surrogate: online gradient descent on each surrogate. */
#ifndef RANKPIPE_LEARN_SURROGATE_H
#define RANKPIPE_LEARN_SURROGATE_H

#include "learn/learner.h"

extern const struct learner learn_squared, learn_kl, learn_smoothdcg, learn_ranksvm, learn_listnet,
    learn_squared_ndcg;

#endif
