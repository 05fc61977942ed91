/* adaptive: the steps of learners that were given no step size: the bets of math/bets.h, one on the
 * length of all weights, or one on each weight. */
#ifndef RANKPIPE_ADAPTIVE_H
#define RANKPIPE_ADAPTIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "learn/learner.h"
#include "math/matrix.h"

/* A step along X'g, which lies in state->gradient and is 0 after it; s[docs] = Xw. `finite` becomes
 * false where a gradient or a weight is too large for a double; then the state is good for nothing
 * but learner_check. 0, or a fault: no memory. With sparse features the cost is that of the entries
 * of documents with g != 0. */
int adaptive_step(struct state *state, const struct matrix *x, const double *s, const double *g,
                  bool *finite, struct fault *fault);

/* Takes the mean off s[docs], or off a gradient by such scores. */
void adaptive_centre(size_t docs, double *s);

/* What the bets say of a model's weights: the scale of all, or weight j where each has a bet. */
double adaptive_scale(const struct state *state);
double adaptive_weight(const struct state *state, size_t j);

#endif
