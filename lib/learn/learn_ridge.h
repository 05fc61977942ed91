/* learn_ridge: ridge regression on the documents seen (recursive least squares), and learners
 * that explore by its uncertainty. */
#ifndef RANKPIPE_LEARN_RIDGE_H
#define RANKPIPE_LEARN_RIDGE_H

#include "learn/learner.h"

extern const struct learner learn_ridge, learn_thompson, learn_linucb, learn_cascade_lints;

#endif
