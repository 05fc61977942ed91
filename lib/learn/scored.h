/* scored: what several learners score by besides the weights: their settings, and their first
 * array. It is their scoring half, or first in it. */
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

/* Takes settings and the column f8[n] of that name, n as it is; name NULL: settings alone. 0 or a
 * data fault. */
int scored_take(struct scored *scored, const struct model *model, const char *name,
                enum taking how, struct fault *fault);

/* Adds both to a message: hooks `publish` and `leave` of such a learner. */
int scored_publish(void *own, struct state *state, struct model *model, enum publishing how,
                   struct fault *fault);
int scored_publish_settings(void *own, struct state *state, struct model *model,
                            enum publishing how, struct fault *fault);
void scored_leave(void *own);

#endif
