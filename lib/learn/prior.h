/* prior: a regression whose weights start at those of another model, as if from so many answers.
 *
 * A regression (math/regression.h) begins with v ~ N(0, s2 / lambda I), where an answer has the
 * variance s2. With a prior it begins with
 *
 *     v_j ~ N(u_j, s2 / (lambda + kappa_j))
 *
 * so at first v = u, and P has lambda / (lambda + kappa_j) on its diagonal.
 * u are the other model's weights. Answers about documents z add sum z_j^2 to the precision of v_j:
 * a feature that is spread evenly over [0, 1], as scale makes them, has the variance 1/12. So with
 * m answers, the setting strength, and for the constant feature 1,
 *
 *     kappa_j = m / 12;  kappa = m
 *
 * where the other model has such a weight; else u_j = kappa_j = 0. All later answers are learnt as
 * ever, and give the exact posterior of this prior. */
#ifndef RANKPIPE_PRIOR_H
#define RANKPIPE_PRIOR_H

#include "base/fault.h"
#include "io/watch.h"
#include "learn/learner_step.h"

/* Starts the state, which has learnt nothing, at the model in the file of SETTING_PRIOR, where that
 * is set. 0, or a fault: no such file; or the features of its model are others than this run's. The
 * state then expects rounds of as many features. */
int prior_begin(struct state *state, const struct watch *watch, struct fault *fault);

/* For a learner's hook `begin`: makes the numbers of the state's regression those of the prior,
 * which may lack the columns of level and constant. 0 or a data fault. */
int prior_regression(struct state *state, struct regression_arrays arrays,
                     const struct model *prior, struct fault *fault);

#endif
