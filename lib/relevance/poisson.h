/* poisson: clicks by features, the weighted Poisson regression inside joint.
 *
 * Pair j got C_j clicks with exposure E_j. m_j = exp(b + w.z_j), the exponent held to [-30, 30].
 * With weights u_j of pairs, b and w minimise
 *
 *     sum_j u_j (E_j m_j - C_j ln m_j) / sum_j u_j C_j + 1e-4 |w|^2 / 2,
 *
 * which is convex but for the bounds of the exponent. Where it is held, it does not change with b
 * and w. */
#ifndef RANKPIPE_POISSON_H
#define RANKPIPE_POISSON_H

#include "base/buffer.h"
#include "base/fault.h"
#include "relevance/evidence.h"

struct poisson {
    const struct evidence *evidence;
    const double *E, *u; /* E[pairs], u[pairs]; pairs whose u is 0 are left out */
    double clicks;       /* sum of u C, at least 1; poisson_start sets it */
    double *log_mean;    /* log_mean[pairs]: ln m by the weights that were tried last */
    double *slope;       /* slope[pairs]: space */
};

/* Before poisson_value, and after a change of u. */
void poisson_start(struct poisson *poisson);

/* The function at x = (w, b), of dim + 1 numbers, and its gradient g: an lbfgs_function of a struct
 * poisson. O(features). */
double poisson_value(void *poisson, const double *x, double *g);

/* Minimises it from x on: at most 40 steps. 0 or a fault (memory). log_mean is then that of x. */
int poisson_fit(struct poisson *poisson, double *x, struct fault *fault);

#endif
