/* learn_cascade: a fixed list of items from clicks, by the cascade model. */
#ifndef RANKPIPE_LEARN_CASCADE_H
#define RANKPIPE_LEARN_CASCADE_H

#include "learn/learner.h"

extern const struct learner learn_cascade_klucb;

#endif
