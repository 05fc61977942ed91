/* regressions: what learners with a regression have in common: a prior, and sums of shares.
 *
 * A prior: the weights start at those of another model, as if from so many answers.
 *
 * A regression (math/regression.h) begins with v ~ N(0, s2 / lambda I), where an answer has the
 * variance s2. With a prior it begins with
 *
 *     v_j ~ N(u_j, s2 / (lambda + kappa_j))
 *
 * so at first v = u, and P has lambda / (lambda + kappa_j) on its diagonal. u are the other model's
 * weights. Answers about documents z add sum z_j^2 to the precision of v_j: a feature that is
 * spread evenly over [0, 1], as scale makes them, has the variance 1/12. So with m answers, the
 * setting strength, and for the constant feature 1,
 *
 *     kappa_j = m / 12;  kappa = m
 *
 * where the other model has such a weight; else u_j = kappa_j = 0. All later answers are learnt as
 * ever, and give the exact posterior of this prior.
 *
 * Sums over answers add up where shares of a log were learnt apart. With v, Z, R, lambda and P of
 * math/regression.h, and c the counts of the answers, these stand in the places of P and v:
 *
 *     P^-1 = I + Z'CZ / lambda        P^-1 v = Z'CR / lambda
 *
 * The first counts I in each share, so all but one are taken off. A prior adds kappa / lambda to
 * the diagonal of the first, and (lambda + kappa) u / lambda to the second: where one share has a
 * prior, the sums are those of one run with it.
 *
 * With a sketch in place of P, A v takes the place of v, with A of math/sketch.h. Sketches add up
 * to one, which is as near to A as that of one run. */
#ifndef RANKPIPE_REGRESSIONS_H
#define RANKPIPE_REGRESSIONS_H

#include "base/fault.h"
#include "io/watch.h"
#include "learn/learner_step.h"

/* A base: where the state's steps end in base and no prior is given, a search engine had an order
 * before the first answer, and the weights begin with it. With m the strength, 5000 by default, and
 * r the spread of answers that is expected, the deviations begin with
 *
 *     v_1 ~ N(r, s2 / (lambda + 10))      of the base, which data soon correct
 *     v_j ~ N(0, s2 / (lambda + m / 12))  of the other features
 *
 * and the means and the constant as ever. So ranks by v at first are those of the engine. v depends
 * on r linearly: v = v0 + r v1, where v1 = (lambda + 10) (Z'Z + Lambda)^-1 e_1, which is
 * (1 + 10 / lambda) P e_1. */
#define BASE_KAPPA 10.0

/* Does the state begin with a base? */
bool base_starts(const struct state *state);

/* kappa of the other features, where they are spread as scale makes them. */
double base_kappa(const struct settings *settings);

/* 0, or a fault where the setting strength is given, and there is neither a prior nor a base. */
int base_check_strength(const struct state *state, struct fault *fault);

/* Puts the features from state->started on at their start: the state begins with a base. O(those
 * features). */
void base_start(struct state *state, struct regression_arrays arrays, double kappa, double r);

/* Starts the state, which has learnt nothing, at the model in the file of SETTING_PRIOR, where that
 * is set. 0, or a fault: no such file; or the features of its model are others than this run's. The
 * state then expects rounds of as many features. */
int prior_begin(struct state *state, const struct watch *watch, struct fault *fault);

/* For a learner's hook `begin`: makes the numbers of the state's regression those of the prior,
 * which may lack the columns of level and constant. 0 or a data fault. */
int prior_regression(struct state *state, struct regression_arrays arrays,
                     const struct model *prior, struct fault *fault);

/* For a learner's hook `sums`: makes sums of the regression in the state's weights and arrays, or
 * the regression of the sums. 0; or a fault: memory, or the sums are those of no regression. O(n^3)
 * for n rows of P. */
int regression_sums(struct state *state, struct regression_arrays arrays,
                    enum summing how, struct fault *fault);

/* What a share of the log brings into a sum: its arrays; its sketch, if the state has one; and how
 * it began, where both began with a base: kappa of its other features, and by how much r of the sum
 * is above r of the state and of the share together. */
struct regression_share {
    const struct state *state;
    const struct sketch *sketch;
    double kappa, r_more;
};

/* For a learner's hook `add`: adds the regression's sums, and array by array all other numbers, but
 * those of array `except`; SIZE_MAX: all. What both began with counts once, as of the state. 0 or a
 * fault (memory). */
int regression_sums_add(struct state *state, struct regression_arrays arrays,
                        const struct regression_share *share, size_t except, struct fault *fault);

#endif
