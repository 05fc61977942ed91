/* learn_memory: the learner that remembers what was answered about each document of each query, and
 * scoring by what it remembers. memory.h has the model and its formulas. */
#ifndef RANKPIPE_LEARN_MEMORY_H
#define RANKPIPE_LEARN_MEMORY_H

#include "learn/learner.h"

extern const struct learner learn_memory;

#endif
