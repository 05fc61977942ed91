/* learner_step: what families of learners share in a round: feedback, scores, steps, checks. */
#ifndef RANKPIPE_LEARNER_STEP_H
#define RANKPIPE_LEARNER_STEP_H

#include "base/fault.h"
#include "explore/feedback.h"
#include "learn/learner.h"
#include "math/matrix.h"

/* eta from the horizon where nothing is estimated: T^(-1/2) (Chaudhuri & Tewari 2016, section
 * 6). */
double learner_eta_known(double T);

/* eta where the gradient is estimated: T^(-2/3), as the estimate's variance grows with 1/gamma
 * (Chaudhuri & Tewari 2016, Theorem 4.1). */
double learner_eta_estimated(double T);

/* The smoothing of the next round t: -E, times t^-F where it falls; above 0. */
double learner_epsilon(const struct state *state);

/* The cutoff; SIZE_MAX where it is not set. */
size_t learner_cutoff(const struct state *state);

/* The state's regression, of the weights w[dim] and the arrays number `level` and `inverse`, with
 * its settings lambda and plain; good until the state grows. */
struct regression *learner_regression(struct state *state, double *w, size_t level,
                                      size_t inverse);

/* The documents whose relevance the round says, for a learner that takes them for all there is.
 * They lie in state->places. */
int learner_feedback(struct state *state, const struct round *round, struct feedback *feedback,
                     struct fault *fault);

/* Steps of long_work for one document, or one pair, of x: how many numbers of the features and of
 * the arrays it takes to learn from it, about. */
size_t learner_steps(const struct state *state, const struct matrix *x);

/* The weights times x: s[docs], finite; a feature that is not finite is a fault. Good until the
 * next call; NULL after a fault. */
double *learner_score(struct state *state, const struct matrix *x, struct fault *fault);

/* w <- w - eta X'g, and then into the ball of the radius where there is one; or, where no step size
 * was given, an adaptive step, which is the only one to look at the scores s[docs]. A weight that
 * would not be finite is a fault. With sparse features the cost is that of the entries touched. */
int learner_step(struct state *state, const struct matrix *x, const double *s, const double *g,
                 struct fault *fault);

/* w <- w + eta u, u[width], width at most state->dim; and then the same. */
int learner_move(struct state *state, const double *u, size_t width, struct fault *fault);

/* Are all weights finite? 0, or a fault that names one that is not. For learners that change w
 * without learner_step. O(dim). */
int learner_check(const struct state *state, struct fault *fault);

#endif
