/* learner_round: one round of learning. */
#ifndef RANKPIPE_LEARNER_ROUND_H
#define RANKPIPE_LEARNER_ROUND_H

#include "base/fault.h"
#include "learn/learner.h"
#include "stream/round.h"

/* Learns from one round, to its end. A relevance above 10^6 is a fault. After a fault the state is
 * good for learner_save and learner_close alone: it is as before the round; or state->begun says
 * that the round changed a part of it, by weights that diverged or for want of memory, and
 * learner_save refuses it. */
int learner_learn(struct state *state, const struct round *round, struct fault *fault);

#endif
