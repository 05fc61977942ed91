/* regression_sums: a regression as sums over its answers. They add up where shares of a log were
 * learnt apart.
 *
 * With v, Z, R, lambda and P of math/regression.h, and c the counts of the answers, these stand in
 * the places of P and v:
 *
 *     P^-1 = I + Z'CZ / lambda        P^-1 v = Z'CR / lambda
 *
 * The first counts I in each share, so all but one are taken off. A prior (prior.h) adds kappa /
 * lambda to the diagonal of the first, and (lambda + kappa) u / lambda to the second: where one
 * share has a prior, the sums are those of one run with it.
 *
 * With a sketch in place of P, A v takes the place of v, with A of math/sketch.h. Sketches add up
 * to one, which is as near to A as that of one run. */
#ifndef RANKPIPE_REGRESSION_SUMS_H
#define RANKPIPE_REGRESSION_SUMS_H

#include "base/fault.h"
#include "learn/learner_step.h"

/* For a learner's hook `sums`: makes sums of the regression in the state's weights and arrays, or
 * the regression of the sums. 0; or a fault: memory, or the sums are those of no regression. O(n^3)
 * for n rows of P. */
int regression_sums(struct state *state, struct regression_arrays arrays,
                    enum summing how, struct fault *fault);

/* For a learner's hook `add`: adds the regression's sums, and array by array all other numbers, but
 * those of array `except`; SIZE_MAX: all. `sketch` is the share's, if the state has one. 0 or a
 * fault (memory). */
int regression_sums_add(struct state *state, struct regression_arrays arrays,
                        const struct state *share, const struct sketch *sketch, size_t except,
                        struct fault *fault);

#endif
