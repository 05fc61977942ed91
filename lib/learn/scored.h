/* scored: what several learners score by besides the weights: their settings, and the first array
 * of their row, if it has any. It is their scoring half, or first in it; the functions are hooks of
 * struct learner. */
#ifndef RANKPIPE_SCORED_H
#define RANKPIPE_SCORED_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "learn/learner.h"
#include "learn/settings.h"
#include "stream/model.h"

struct scored { /* all zero at first */
    struct settings settings;
    size_t dim, n;       /* weights; numbers of the array */
    const double *array; /* array[n]: borrowed, or in `copy` */
    struct buffer copy, work;
};

/* The array may be of any length n. */
int scored_take(void *own, const struct learner *learner, const struct model *model,
                enum taking how, struct fault *fault);
int scored_publish(void *own, struct state *state, struct model *model, enum publishing how,
                   struct fault *fault);
void scored_leave(void *own);

#endif
