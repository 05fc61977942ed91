/* regret: how much better the best fixed ranking, chosen in hindsight, would have been than the
 * rankings shown, for a fixed list of items (Chaudhuri & Tewari 2015, 2016). For measures that are
 * a sum over documents, and for map on short lists. */
#ifndef RANKPIPE_REGRET_H
#define RANKPIPE_REGRET_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "measure/measure.h"

enum { REGRET_MAP_ITEMS = 16 }; /* the longest list for map */

/* value = constant + sum_i weight(i) gain(item at position i); -value where less is better. */
struct terms {
    double *gain; /* gain[docs], by item                       */
    double constant;
    double achieved; /* the value of the ranking shown       */
};

struct regret { /* all zero at first */
    struct measure measure; /* M                                   */
    const struct linear_measure *linear; /* NULL: map                  */
    size_t docs;            /* items; 0 before the first round     */
    struct terms round;     /* of the last regret_look             */
    struct terms sum;       /* over the rounds added               */
    double *weight;         /* weight[docs], by position; never rises */
    double *pair;           /* pair[docs*docs] of map, else NULL   */
    double *scratch;        /* room for docs; of map, for 2^docs */
    struct buffer buffer;   /* memory of these arrays              */
};

/* Parses M: dcg[@k] ndcg[@k] prec@k sumloss pairloss auc map. The name stays the caller's. 0 or a
 * usage fault. */
int regret_parse(struct regret *regret, const char *measure, struct fault *fault);

/* Computes what a prepared round, which has an order, adds; the sums stay as they are. A round for
 * which M is not defined adds 0. A data fault where the round has features (dim > 0) or another
 * number of documents than the first one; for pairloss and auc, where a label is not 0 or 1; for
 * map, where the list is longer than REGRET_MAP_ITEMS; where the sum of gains is too large for a
 * double; and where M has a fault. O(m). */
int regret_look(struct regret *regret, const struct measured *measured, size_t dim,
                struct fault *fault);

/* Adds the round of the last regret_look. O(m); for map O(m^2). */
void regret_add(struct regret *regret);

/* The regret over the rounds added, of which there must be one. For a gain M it is
 *   max over rankings of (sum over rounds of M) - sum over rounds of M of the ranking shown,
 * and for a loss the second sum minus the least first one. M is linear in the gains, so a sort of
 * the summed gains is the best ranking: O(m log m). For map it is found among all: O(2^m m^2). The
 * regret is negative where changing rankings did better than any fixed one. Exact for prec@k,
 * pairloss and sumloss where all labels are 0 or 1. */
double regret_sum(const struct regret *regret);

void regret_close(struct regret *regret);

#endif
