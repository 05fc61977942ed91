/* marginal: examination of positions and relevance of documents, learnt together from counts of
 * clicks.
 *
 * C_jk clicks of n_jk impressions of pair j at position k: C_jk ~ Poisson(n_jk theta_k r_j), with
 * r_j ~ Gamma of shape a and mean m_j = exp(s_j), s_j = b + w.z_j, and theta_1 = 1. With
 * C_j = sum_k C_jk and E_j = sum_k n_jk theta_k, r_j has, given theta, the mean
 *
 *     (C_j + a) / (E_j + a / m_j),
 *
 * and the clicks have the negative binomial likelihood, but for what depends on no parameter,
 *
 *     sum_k C_k ln theta_k + sum_j [ln Gamma(C_j + a) - ln Gamma(a) + a ln a + C_j s_j
 *                                   - (C_j + a) ln(a + E_j m_j)].
 *
 * ln theta_2 ..., w, b and ln a are where it is greatest, all at once, with the priors
 * w ~ N(0, 1 / (5 D)), D being the mean of |z - z's mean|^2 over all pairs, so that s has the same
 * spread, N(b, 1/5), whatever features there are; and ln a ~ N(0, 4), which matters only where
 * clicks say nothing of a. ln theta
 * and s are held to [-20, 20] and [-30, 30], ln a to [-10, 10]. */
#ifndef RANKPIPE_MARGINAL_H
#define RANKPIPE_MARGINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/watch.h"
#include "relevance/evidence.h"

struct marginal { /* all zero at first */
    double *theta; /* theta[positions] */
    double *x;     /* w[dim], and b and ln a after them */
    double *s;     /* s[pairs]: ln m */
    double *mean;  /* mean[pairs]: the relevances, given theta */
    double *E, *slope; /* of the pairs: space */
    double ridge;  /* 5 D */
    struct buffer memory;
};

/* Makes room, and starts: theta_k = 1/k, w = 0, b = ln 0.2, a = 1. 0 or a fault (memory).
 * O(features). */
int marginal_open(struct marginal *marginal, const struct evidence *evidence, struct fault *fault);

/* Fits from where it is. `given`: theta is held as it is. s and mean are of all pairs of the
 * evidence, whatever was counted of them. A position without impressions keeps its theta. 0, or a
 * fault: memory, or a signal. O(features + cells) a step. */
int marginal_fit(struct marginal *marginal, const struct counts *counts, bool given,
                 struct watch *watch, struct fault *fault);

/* The function that marginal_fit minimises: less the logarithm above and of the priors, divided by
 * all clicks. x is ln theta_2 ..., unless theta is given, then w, b + w.centre and ln a; g the
 * gradient. With a centre in the midst of the features far fewer steps are needed. */
struct marginal_loss {
    struct marginal *marginal;
    const struct counts *counts;
    bool given;
    const double *centre; /* centre[dim] */
    const double *above; /* above[MARGINAL_WHOLES]: pairs with impressions and more clicks than */
    double shown;        /* so many pairs with impressions */
    double clicks;
    double *sum;         /* sum[positions]: space */
    const struct watch *watch;
    struct fault *fault; /* a signal came: then it returns NaN */
};
enum { MARGINAL_WHOLES = 64 };
double marginal_loss(void *of, const double *x, double *g);

/* ln Gamma(c + a) - ln Gamma(a) + a ln a + c s - (c + a) ln(a + E exp(s)): of a pair with c clicks
 * and the expected examination E. */
double marginal_of_pair(double c, double E, double s, double a);

/* a, as it was fitted with so many features. */
double marginal_shape(const struct marginal *marginal, size_t dim);

void marginal_close(struct marginal *marginal);

#endif
