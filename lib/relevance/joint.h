/* joint: examination of positions and relevance of documents, learnt together from counts of
 * clicks.
 *
 * C_jk clicks of n_jk impressions of pair j at position k: C_jk ~ Poisson(n_jk theta_k r_j), with
 * r_j ~ Gamma of shape a and mean m_j = exp(b + w.z_j), and theta_1 = 1. So, given theta, r_j has
 * the mean
 *
 *     (C_j + a) / (E_j + a / m_j),    C_j = sum_k C_jk,    E_j = sum_k n_jk theta_k.
 *
 * A pass estimates, each given the others: b and w by Poisson regression (poisson.h), in which pair
 * j counts u_j = 1 / (1 + E_j m_j / a), from the second pass on; a, of 15 values from .05 to 50
 * evenly spaced in log, by the largest marginal likelihood, that is the sum over pairs shown of
 *
 *     ln Gamma(C_j + a) - ln Gamma(a) + a ln(a / m_j) - (C_j + a) ln(E_j + a / m_j);
 *
 * and ten times theta_k = C_k / sum_j n_jk mean_j, divided by theta_1, and the means. */
#ifndef RANKPIPE_JOINT_H
#define RANKPIPE_JOINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/watch.h"
#include "relevance/evidence.h"

enum { JOINT_PASSES = 5 };

struct joint { /* all zero at first */
    double *theta; /* theta[positions] */
    double *x;     /* w[dim], and b after them */
    double shape;  /* a */
    double *mean;  /* mean[pairs]: the relevances */
    double *log_prior; /* log_prior[pairs]: ln m */
    double *E, *u, *slope; /* of the pairs: space */
    double *clicks; /* clicks[positions]: C_k */
    struct buffer memory;
};

/* Makes room, and starts: theta_k = 1/k, w = 0, b = ln 0.2. 0 or a fault (memory). */
int joint_open(struct joint *joint, const struct evidence *evidence, struct fault *fault);

/* Makes so many passes. weight[queries] says how often each query counts; NULL: once. `given`:
 * theta is held as it is. `shaped`: a is held, and known from the first pass on. Position 1 has
 * clicks, if theta is not given. 0, or a fault: memory, or a signal. O(passes (40 features + 10
 * cells)). */
int joint_fit(struct joint *joint, const struct evidence *evidence, const double *weight,
              bool given, bool shaped, unsigned passes, struct watch *watch, struct fault *fault);

void joint_close(struct joint *joint);

#endif
