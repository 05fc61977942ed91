/* learner_model: a learner's state as a model in a file, and as messages of the ring. */
#ifndef RANKPIPE_LEARNER_MODEL_H
#define RANKPIPE_LEARNER_MODEL_H

#include "base/fault.h"
#include "io/watch.h"
#include "learn/learner.h"
#include "model/model.h"

/* All of the state, as a model. The model borrows the state's arrays, until the state learns
 * again. A fault: a round failed halfway, or numbers are not finite. */
int learner_save(struct state *state, struct model *model, struct fault *fault);

/* Takes over a model's state. A model of another learner or of other settings is a fault that
 * names both. */
int learner_load(struct state *state, const struct model *model, struct fault *fault);

/* The same from a file, `watch` as for watch_open. 1; 0 where there is no such file; or a fault. */
int learner_resume(struct state *state, const char *path, const struct watch *watch,
                   struct fault *fault);

/* What scoring needs, as a message of the ring: the weights, and numbers where the learner ranks
 * by more; or, where that is known and shorter, only what the last round changed of it. Borrowed as
 * above. */
int learner_publish(struct state *state, struct model *model, enum publishing how,
                    struct fault *fault);

#endif
