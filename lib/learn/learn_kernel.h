/* learn_kernel: the minimax perceptron with a kernel, on a budget. */
#ifndef RANKPIPE_LEARN_KERNEL_H
#define RANKPIPE_LEARN_KERNEL_H

#include "learn/learner.h"

extern const struct learner learn_kernel;

#endif
