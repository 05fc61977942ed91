/* within: examination of positions from documents that were shown at several of them.
 *
 * C_jk ~ Poisson(n_jk theta_k r_j), whatever the r_j are: given the clicks C_j of a pair, those at
 * its positions are multinomial. With t_k = ln theta_k, t_1 = 0, C_j = sum_k C_jk and
 * C_k = sum_j C_jk, their log likelihood and the prior t_k ~ N(prior_k, 0.3^2) are
 *
 *     sum_k C_k t_k - sum_j C_j ln(sum_k n_jk e^t_k) - sum_k (t_k - prior_k)^2 / (2 0.3^2),
 *
 * which is concave. A pair that was seen at one position, or never clicked on, changes nothing. The
 * standard errors are those of the inverse of the second derivatives. */
#ifndef RANKPIPE_WITHIN_H
#define RANKPIPE_WITHIN_H

#include "base/fault.h"
#include "relevance/evidence.h"

/* Sets theta[positions], and error[positions] of ln theta, from prior[positions] of ln theta.
 * error is 0 of position 1, and NaN beyond WITHIN_ERRORS; up to there it is given theta beyond. 0
 * or a fault (memory). O(cells) a step; at the end O(sum over pairs of the square of their
 * positions, and the cube of the positions, at most WITHIN_ERRORS). */
enum { WITHIN_ERRORS = 1000 };
int within_fit(const struct counts *counts, const double *prior, double *theta, double *error,
               struct fault *fault);

/* What the prior alone says of ln theta. */
#define WITHIN_PRIOR_ERROR 0.3

#endif
