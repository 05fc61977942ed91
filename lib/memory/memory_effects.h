/* memory_effects: regression with a random effect of each pair of query and document. It remembers
 * what was answered about a document, and generalises to others by their features (Henderson's
 * BLUP; Zhu & Kveton 2022; Li et al. 2010, section 3.2).
 *
 * An answer about document j of query q is R = z.v + b + e. Here z is what a regression makes of
 * the document's features, v ~ N(0, (1 + rho) sigma^2 / lambda I) are its weights, b ~ N(0, rho
 * sigma^2) belongs to the pair, and e ~ N(0, sigma^2) to the answer. With n answers about a pair,
 * whose sum is S, another one y is this observation of v, independent of those before. P is
 * (Z'Z + lambda I)^-1, so that z'Pz is from regression_variances.
 *
 *     y* = y + rho (n y - S), which counts as c = (1 + rho) / ((1 + n rho) (1 + (n + 1) rho))
 *
 * So v and P are those of the joint posterior, exactly, whatever the order of the answers; with a
 * sketch (memory_form.h) nearly. rho = 0 is ridge regression.
 *
 * An answer may have the weight u: e ~ N(0, sigma^2 / u). Then n is the sum of u, S that of u y, y*
 * is the same, and
 *
 *     c = u (1 + rho) / ((1 + n rho) (1 + (n + u) rho))
 *
 * A click at position k, examined with probability theta_k, is the answer click / theta_k with the
 * weight theta_k: of mean r, and the smaller theta_k, the less it says. Where theta_k is not given
 * by a table, it and rho are estimated as memory_clicks.h says, and its m0 takes the place of z.v
 * in the mean.
 *
 *     mean     (z.v + rho S) / (1 + rho n)
 *     variance rho / (1 + rho n) + (1 + rho) z'Pz / (1 + rho n)^2      in units of sigma^2
 *     index    mean + width sb / sqrt(1 + rho n)
 *
 * The index leaves z'Pz out: the documents of a query have much the same of it. v always learns
 * with the rho of the settings. Mean and index have that too, or an estimate that follows the
 * answers:
 *
 *     first answer about a pair     s2 = mean of (y - z.v)^2 / (1 + z'Pz), before v learns from it
 *     second answer, after y1       e1 = y1 - z.v, e2 = y - z.v;  bxx += e1 e1;  bxy += e1 e2
 *     beta = (bxy + 7.5 s2) / (bxx + 10 s2), held to [1/11, 10/11]; 3/4 where that is 0 / 0
 *     rho  = beta / (1 - beta);  sb = sqrt(beta s2)
 *
 * With weights all of this counts u times; 1 + z'Pz is 1/c + z'Pz; y1 is S / n; and second answers
 * are those after n in [1/2, 3/2), which count as about one.
 *
 * The slope of second on first residuals is not biased by showing again what looked good. It starts
 * at 3/4, as if ten pairs had been answered twice, and depends neither on the scale of the answers
 * nor, where the regression has a constant, much on their offset. With a rho that is fixed, or that
 * of clicks, beta is rho / (1 + rho). */
#ifndef RANKPIPE_MEMORY_EFFECTS_H
#define RANKPIPE_MEMORY_EFFECTS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "memory/memory_clicks.h"
#include "memory/memory_table.h"
#include "math/matrix.h"
#include "math/regression.h"

/* What the estimate is made from, numbers from 0 on: first answers and the sum of their squares;
 * bxx and bxy; and answers about pairs that had at least half an answer. */
enum memory_moment {
    MEMORY_FIRSTS, MEMORY_SQUARES, MEMORY_BXX, MEMORY_BXY, MEMORY_REPEATS, MEMORY_MOMENTS
};

struct memory {
    double rho;      /* from 0 on: v's */
    bool fixed;      /* is it also that of mean and index? */
    bool weighted;   /* are the round's answers clicks, with theta_k as their weights? */
    const struct memory_clicks *clicks; /* gives rho; NULL: the moments do */
    double *moments; /* moments[MEMORY_MOMENTS], at first 0, the caller's */
    double *beliefs; /* beliefs[MEMORY_BELIEFS] of memory_beliefs.h, the same; NULL: none   */
    double *counted; /* of memory_worth.h, the same; NULL: none                             */
    double kappa;    /* of the base's prior, whose mean is memory_spread, where v begins with one;
                      * 0: it does not, or is a sketch's                                    */
    const double *score; /* of the round's documents, as they were shown; NULL: it is z.v   */
};

/* The rho that mean and index have now, where beta is held to [1/11, most / (1 + most)]; the mean
 * square of a first answer's deviation from z.v, an estimate of (1 + rho) sigma^2; and the standard
 * deviation of b. */
struct memory_estimate {
    double rho, s2, sb;
    bool clicks; /* are means rates of clicks? */
};
#define MEMORY_RHO_MOST 10.0
#define MEMORY_RHO_WIDE 1e4 /* for memory_worth.h */
struct memory_estimate memory_estimate(const struct memory *memory, double most);

/* c: how often another answer of weight u counts, after n. */
static inline double memory_count_of(double rho, double n, double u)
{
    return u * (1 + rho) / ((1 + n * rho) * (1 + (n + u) * rho));
}

/* What a user answered about a document, and its weight: 1 where answers have none. */
struct memory_answer {
    double y, u;
};

/* The mean and the index of a pair; z.v is `expected`. */
static inline double memory_mean(const struct memory_estimate *estimate, double expected,
                                 const struct memory_entry *entry)
{
    double prior = estimate->clicks ? memory_clicks_prior(expected) : expected;
    return (prior + estimate->rho * entry->sum) / (1 + estimate->rho * entry->n);
}

static inline double memory_index(const struct memory_estimate *estimate, double mean,
                                  const struct memory_entry *entry, double width)
{
    return mean + width * estimate->sb / sqrt(1 + estimate->rho * entry->n);
}

/* The variance of a pair's z.v + b, in units of sigma^2, with z'Pz from regression_variances. */
double memory_variance(double rho, double zpz, const struct memory_entry *entry);

/* s[docs] = Xw becomes z.v of all documents, by one more product with X; level NULL: features are
 * plain. level[n] is as the regression's. t has room for docs, and `spare` for matrix_width.
 * Rounded in another way than regression_expect. */
void memory_expect(const struct matrix *x, const double *level, double constant, size_t n,
                   double *s, double *t, double *spare);

/* Learns an answer about document i of the regression's round, whose pair this is: changes the
 * weights, P, the moments, beliefs and counts, and the pair's n and sum. 0, or a fault where one of
 * them would no longer be finite; then they are good for nothing. Costs what regression_learn does.
 */
int memory_learn(struct memory *memory, struct regression *regression, size_t i,
                 struct memory_entry *entry, struct memory_answer answer, struct fault *fault);

#endif
