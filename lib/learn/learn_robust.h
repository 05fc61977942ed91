/* learn_robust: the surrogates whose gradient is linear in a worth of each document, with what was
 * not seen filled in by a regression, and only its errors weighted (doubly robust estimates). */
#ifndef RANKPIPE_LEARN_ROBUST_H
#define RANKPIPE_LEARN_ROBUST_H

#include "learn/learner.h"

extern const struct learner learn_squared_dr, learn_kl_dr, learn_smoothdcg_dr;

#endif
