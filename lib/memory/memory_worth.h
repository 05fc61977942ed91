/* memory_worth: what to show first: the mean of each document, and what it is worth that it is
 * judged now.
 *
 * All is in units of answers. z, v, S, n, rho, s2 and sb are those of memory_effects.h, where rho
 * is at most 10^4; A and B of memory_near.h; h, lo, hi, a, floor of memory_beliefs.h. u counts the
 * rounds of the query, this one too, so that u - 1 were learnt. A document that was forgotten, of
 * which less than half an answer is left, counts as one without answers.
 *
 *     mean    with answers: mu = (z.v + rho S) / (1 + rho n). Without: mu = z.v + A / (1 + 1/rho +
 *             B); where u > 1 it is held to [lo + floor, hi], and 1e-7 mu is added. Of clicks the
 *             first has m0 in the place of z.v, and the second becomes (mu + rho S) / (1 + rho n).
 *             Until h has two values all are a; with a base mu is z.v then, and worth 0: so ranks
 *             are those of the engine before the first answer
 *     voices  of clicks, what becomes of some means, see below
 *     belief  the true mean X of a document. With answers: mu - sd or mu + sd, half each, sd = sb /
 *             sqrt(1 + rho n); of clicks, sqrt(r (1 - r) rho / (1 + rho (n + 1))) with mu within
 *             [0.01, 0.99] as r. Without: with probability p a draw of h, else lo (if mu < a) or
 *             hi, with the p that makes the mean mu, from 0 to 1
 *     gain    sum over k <= 10 of (D_k - D_(k+1)) (E max(X - t_k, 0) - max(mu - t_k, 0)), where t_k
 *             is the k-th greatest mean of the others, D_k = 1 / log2(k + 1), and D_11 = 0: what
 *             the list's DCG would gain if X was known. 0 where rho n > 200
 *     worth   3/4 (u - 1) f^2 gain + bonus, f = rho / (1 + rho (n + 1)), the share of its variance
 *             that an answer takes away. Of clicks f takes the place of f^2
 *     bonus   0.6 sqrt(N s2), for documents without answers that fewer than ten others surpass
 *     N       sum_r z_r^2 / (lambda + counted_r), where counted_r is the sum of c z_r^2 learnt so
 *             far: about z'Pz, from the diagonal alone. Until h has two values the worth is c N,
 *             where an answer would count c times: not again what was judged, and was like others
 *
 * explore -p worth shows first the document with the greatest worth less what moving it up costs
 * now.
 *
 * Three voices. A document's own clicks, while they are fewer than three, lift it above none that
 * has five, nor do two misses sink that one below it; its features may do either. With c = S,
 * rounded, of each document of a round, established are those with c >= 5, and bound those with c
 * of 1 or 2 and those without answers; the others are free. m0 of a bound one is its mean as that
 * of a document without answers, if all those with c of 1 or 2 had none. An established one is
 * lifted to the mean that it has with an n less by two, or by n - S if that is less and above 0;
 * with rho or the rho of clicks at first, whichever makes it greater. If t is the least mean of an
 * established document that, lifted, exceeds m0, the mean r of the bound one
 *
 *     becomes t - 1e-9 (1 + 1 / (1 + max(r, 0))), if it is t - 2e-9 or more
 *
 * so that those under one t keep their order. Without the two misses, an answer that clicks on all
 * but the first document would put new ones first wherever all that users examined was clicked, as
 * these are expected to be clicked, too. Without the rho of the first, two clients who do so in all
 * queries would: clicks do not foretell theirs, so rho falls, and the features that they taught
 * outweigh five clicks. Only what is shown follows from this. */
#ifndef RANKPIPE_MEMORY_WORTH_H
#define RANKPIPE_MEMORY_WORTH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "memory/memory_effects.h"
#include "memory/memory_beliefs.h"
#include "memory/memory_near.h"

/* What is known of all queries. */
struct memory_rule {
    struct memory_estimate estimate; /* of memory_estimate_wide */
    const double *beliefs;           /* beliefs[MEMORY_BELIEFS] */
    double rho, lambda;              /* of v */
    const double *counted; /* counted[regression rows]: of the constant if there is one, then of
                            * each feature's deviation and of its mean; plain: of each feature */
    bool plain, constant;
    bool base;             /* z begins with the feature of a base */
    bool unbound;          /* without three voices                */
};

/* Sets mean[docs] and worth[docs] for the round of a query of which `learnt` rounds were learnt,
 * known[docs] being known of its documents. 0 or a fault (memory). The neighbours are nearly all of
 * the time. */
int memory_rule_apply(const struct memory_rule *rule, struct memory_space *space, double learnt,
                      const struct memory_known *known, double *mean, double *worth,
                      struct fault *fault);

#endif
