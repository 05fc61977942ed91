/* scoring: what documents rank by, from a model: in a file, or as it came round the ring. */
#ifndef RANKPIPE_SCORING_H
#define RANKPIPE_SCORING_H

#include <stddef.h>

#include "fault.h"
#include "matrix.h"
#include "model.h"
#include "space.h"

struct scoring { /* all zero at first */
    const struct learner *learner;
    size_t dim, numbers;
    struct space weights, beside; /* w[dim]; numbers[numbers], where the learner ranks by them */
};

/* Takes an aligned copy of what scores; the model may go. */
int scoring_take(struct scoring *scoring, const struct model *model, struct fault *fault);
void scoring_close(struct scoring *scoring);

/* s[docs]: Xw, or what the learner makes of it (prank: the level). A fault where w.x is no finite
 * number. */
int scoring_round(const struct scoring *scoring, const struct matrix *x, double *s,
                  struct fault *fault);

#endif
