/* learner_round: one round of learning. A round that fails or is interrupted is undone. */
#ifndef RANKPIPE_LEARNER_ROUND_H
#define RANKPIPE_LEARNER_ROUND_H

#include "base/fault.h"
#include "learn/learner.h"
#include "stream/round.h"

/* Learns from one round. After a fault the state is as before the round, good for learner_save and
 * learner_close alone; or `spoiled`, where it has changed and a copy would have cost too much. If
 * state->work watches for a signal, it stops a round that takes long, which is FAULT_STOPPED.
 *
 * What the round may change is copied before it where that takes a sixteenth of the round's time or
 * less, and for every round that may take a second. */
int learner_learn(struct state *state, const struct round *round, struct fault *fault);

#endif
