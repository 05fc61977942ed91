/* learn_robust: doubly robust gradient estimates, for surrogates whose gradient is linear in a
 * worth of each document: a regression predicts it, and only its errors are weighted. */
#ifndef RANKPIPE_LEARN_ROBUST_H
#define RANKPIPE_LEARN_ROBUST_H

#include "learn/learner.h"

extern const struct learner learn_squared_dr, learn_kl_dr, learn_smoothdcg_dr;

#endif
