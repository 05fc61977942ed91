/* learner_model: a learner's state as a model in a file, and as messages of the ring. */
#ifndef RANKPIPE_LEARNER_MODEL_H
#define RANKPIPE_LEARNER_MODEL_H

#include "base/fault.h"
#include "io/watch.h"
#include "learn/learner.h"
#include "model/model.h"

/* Makes a model of all of the state. The model borrows the state's arrays until the state learns
 * again. Returns 0, or a fault if a round failed halfway or numbers are not finite. */
int learner_save(struct state *state, struct model *model, struct fault *fault);

/* Takes over a model's state. A model of another learner or of other settings is a fault that
 * names both. */
int learner_load(struct state *state, const struct model *model, struct fault *fault);

/* Takes over the state of the model in a file. `watch` is that of watch_open. Returns 1, 0 if the
 * file does not exist, or a fault. */
int learner_resume(struct state *state, const char *path, const struct watch *watch,
                   struct fault *fault);

/* Makes a message of the ring of what scoring needs: the weights, and the numbers of a learner that
 * ranks by more; or only what the last round changed, if that is known and shorter. The message
 * borrows as above. Returns 0 or a fault. */
int learner_publish(struct state *state, struct model *model, enum publishing how,
                    struct fault *fault);

#endif
