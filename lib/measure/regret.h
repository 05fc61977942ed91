/* regret: how much better the best fixed ranking in hindsight would have done than the rankings
 * shown, for a fixed list of items (Chaudhuri & Tewari 2015, 2016). */
#ifndef RANKPIPE_REGRET_H
#define RANKPIPE_REGRET_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "measure/linear_measure.h"
#include "measure/measure.h"

/* value = constant + sum_i weight(i) gain(item at place i), and -value where less is better. */
struct terms {
    double *gain; /* gain[docs], by item                       */
    double constant;
    double had; /* the value itself, of the ranking shown    */
};

struct regret { /* all zero at first */
    struct measure measure; /* M                                   */
    const struct linear_measure *linear;
    size_t docs;            /* items; 0 before the first round     */
    struct terms round;     /* the round last looked at            */
    struct terms sum;       /* the rounds added                    */
    double *weight;         /* weight[docs], by place; never rises */
    double *scratch;        /* room for 2 docs                     */
    struct buffer buffer;     /* what all of these lie in            */
};

/* The regret in M: dcg[@k] ndcg[@k] prec@k sumloss pairloss auc. The name is the caller's.
 * Returns 0 or a usage fault. */
int regret_parse(struct regret *regret, const char *measure, struct fault *fault);

/* Works out what the round at hand, which has an order, will add; the sums stay as they are. O(m).
 * A round in which M means nothing adds 0 to both sides. A data fault where it has features
 * (dim > 0), or not as many documents as the first one looked at; for pairloss and auc where a
 * label is neither 0 nor 1; where gains add up past a double; and where M itself has one. */
int regret_look(struct regret *regret, const struct judge *judge, size_t dim,
                struct fault *fault);

/* Adds the round last looked at. O(m). */
void regret_add(struct regret *regret);

/* The regret over the rounds added, t times its mean, once there is one: for a gain M
 *   max over rankings of (sum over rounds of M) - sum over rounds of M of the ranking shown,
 * for a loss the latter less the least. M is linear in a gain of each label, so the best ranking
 * is a sort of the summed gains: O(m log m). Below 0 where rankings that changed did better than
 * any fixed one. Exact for prec@k, pairloss and sumloss where all labels are 0 or 1. */
double regret_sum(const struct regret *regret);

void regret_close(struct regret *regret);

#endif
