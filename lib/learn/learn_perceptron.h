/* learn_perceptron: the perceptrons that rank. */
#ifndef RANKPIPE_LEARN_PERCEPTRON_H
#define RANKPIPE_LEARN_PERCEPTRON_H

#include "learn/learner.h"

extern const struct learner learn_slam, learn_slam_ap, learn_minimax;

#endif
