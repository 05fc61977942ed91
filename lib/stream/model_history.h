/* model_history: the last models of a file, each kept under the number of rounds it had learnt. */
#ifndef RANKPIPE_MODEL_HISTORY_H
#define RANKPIPE_MODEL_HISTORY_H

#include <stdint.h>

#include "base/fault.h"

/* Links the model in `new_path`, which is to replace the one at `path`, to path.ROUND. 0 or a
 * fault. */
int model_history_add(const char *path, const char *new_path, uint64_t rounds,
                      struct fault *fault);

/* Removes the oldest of the models path.ROUND whose ROUND is at most `rounds`, so that `keep` of
 * them are left. Those of later rounds, from before a rollback, stay. 0 or a fault. */
int model_history_trim(const char *path, uint64_t rounds, uint64_t keep, struct fault *fault);

#endif
