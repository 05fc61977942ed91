/* descent: steps along a gradient, for learners that hold a struct descent. The size of a step is
 * - the step size, if one was given; with a radius too, the weights are kept in a ball;
 * - U sqrt(2 / V), if a radius U alone was given, where V is the sum of the squares of the
 *   gradients up to this one (Streeter & McMahan 2010);
 * - what the bets of math/bets.h say, if neither was given: a bet on the length of all weights, or
 *   one on each weight.
 * A learner of this kind has DESCENT_HOOKS in its row, and a struct descent as its own, or first in
 * it. A step that would leave a weight that is not finite is a fault before anything changes,
 * except of adaptive steps from weights that are near the end of a double's range. */
#ifndef RANKPIPE_DESCENT_H
#define RANKPIPE_DESCENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "learn/learner.h"
#include "math/ball.h"
#include "math/matrix.h"

/* How a learner bets: its row's `bets`. The capital is multiplied by epsilon where that is a
 * setting, as it is a unit of the scores. */
struct descent_bets {
    enum { BETS_ON_LENGTH, BETS_ON_EACH } on;
    double capital;
    bool centred; /* scores and their gradient are taken about their mean */
    const char *boundless; /* why a radius alone gives no steps; NULL: it does */
};

struct descent {
    struct ball ball;               /* around the weights, where a radius was given          */
    const struct descent_bets *bets; /* adaptive steps; NULL: a step size or radius was given */
    double capital;
    bool adapts;                    /* a radius alone was given                              */
    size_t array;                   /* of the state, number `array`: the bets, or V          */
    double *wealth;                 /* L, V, W of one bet; or [4][dim], L, V, W and theta; or V */
    struct norm length, slope;      /* of w and of the gradient, where steps follow from them */
    struct buffer gradient;         /* double[dim], 0 between steps                          */
};

/* w <- w - eta X'g, or an adaptive step. Only an adaptive step uses the scores s[docs]. With sparse
 * features it is O(entries of documents with g != 0). Returns 0 or a fault. */
int descent_step(struct descent *descent, struct state *state, const struct matrix *x,
                 const double *s, const double *g, struct fault *fault);

/* w <- w + eta u, u[width], width at most state->dim; and then the same. */
int descent_move(struct descent *descent, struct state *state, const double *u, size_t width,
                 struct fault *fault);

/* Takes the mean off v[docs], scores or a gradient by them, where the bets want it. */
void descent_centre(const struct descent *descent, size_t docs, double *v);

/* eta from the horizon where nothing is estimated: T^(-1/2) (Chaudhuri & Tewari 2016, section
 * 6). */
double descent_eta_known(double T);

/* eta where the gradient is estimated: T^(-2/3), as the estimate's variance grows with 1/gamma
 * (Chaudhuri & Tewari 2016, Theorem 4.1). */
double descent_eta_estimated(double T);

/* The hooks of struct learner. */
int descent_start(void *own, struct state *state, struct fault *fault);
int descent_reach(void *own, struct state *state, size_t width, struct fault *fault);
int descent_load(void *own, struct state *state, const struct model *model, struct fault *fault);
int descent_publish(void *own, struct state *state, struct model *model, enum publishing how,
                    struct fault *fault);
void descent_close(void *own);

#define DESCENT_HOOKS \
    .learning = sizeof(struct descent), .start = descent_start, .reach = descent_reach, \
    .load = descent_load, .close = descent_close, .offset = true

#endif
