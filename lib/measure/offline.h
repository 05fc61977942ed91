/* offline: estimates, from a log, the value that another ranking would have had. The log has rounds
 * whose orders were drawn with known probabilities, and feedback on the documents seen (Horvitz &
 * Thompson 1952; Strehl, Langford, Li & Kakade 2010; Li et al. 2018, the item-position model).
 * Feedback is labels, or with a table of examination clicks.
 *
 * The measure M is a sum over documents of weight(position) gain(R) (measure.h). With
 * position_j the position of document j in the other ranking, and pi_j the propensity of j, the
 * probability that it was seen, round t has
 *   a = sum_{j seen} weight(position_j) gain(R_j) / pi_j,
 *   b = sum_{j seen} weight(position_j) u_j / pi_j,    c = sum_j weight(position_j),
 * and over the orders that might have been drawn the mean of a is M, and that of b is c. u_j is 1;
 * of clicks it is theta_k of the position k where j was shown, and pi_j the expected examination of
 * j (examination.h): then M is that of r, where clicks have the probability theta_k r.
 *
 *   ips    A; its standard error is sqrt(var(a) / n)
 *   snips  A C / B, which corrects A by the known mean of b (Swaminathan & Joachims 2015); its
 *          standard error is sqrt(var(e) / n), e = (C/B) (a - q b) + q c, q = A/B
 *   dr     as ips, with a = sum_j weight(position_j) g_j + sum_{j seen} weight(position_j)
 *          (gain(R_j) - u_j g_j) / pi_j, where g_j is what a regression on the features of the
 *          rounds before expects of gain(R_j) / u_j (Dudik, Langford & Li 2011; struct baseline).
 *          Unbiased as ips is; the errors of rounds are uncorrelated, as g_j depends on rounds
 *          before alone
 *
 * Of clicks, var(a) is the larger of that of the sample and of what the model of clicks says: a few
 * clicks on documents that were seldom shown make most of it, and a log without such a click would
 * say that it has none. Given what was shown, a has the mean M and the variance V,
 *   M = sum_{j seen} weight u_j r_j / pi_j      (dr: sum_j weight g_j)
 *   V = sum_{j seen} weight^2 u_j r_j (1 - u_j r_j) / pi_j^2
 * where r_j is g_j or, of ips and snips, (clicks + 1/2) / (sum of u + 1) of the documents that were
 * seen before and have the position of j in the other ranking. Then var(M) + mean of V takes the
 * place of var(a).
 *
 * The effective sample size is (sum b)^2 / sum b^2 (Kish 1965). The share of weight without support
 * is that of documents that no order could have shown, by weight(position_j): 0 where the log says
 * that each may be shown; 1 - B / C where it has propensities of those shown alone.
 *
 * A, B, C are the means of a, b, c over the n rounds, and var is the sample variance. e is the
 * gradient of A C / B times (a, b, c): the delta method. The rounds count as a sample of all rounds
 * there might be, so the error includes the differences between queries; for the same rounds drawn
 * again it is, if anything, too large. Where everything is seen a = M and b = c, and both estimates
 * are the value and the error of M itself. */
#ifndef RANKPIPE_OFFLINE_H
#define RANKPIPE_OFFLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "explore/examination.h"
#include "math/matrix.h"
#include "math/order.h"
#include "math/regression.h"
#include "measure/measure.h"
#include "stream/round.h"

enum { BASELINE_DIM = 4096 };

/* Ridge regression of what documents are worth on their features: it predicts a round by the rounds
 * before it alone (math/regression.h, with a constant). */
struct baseline { /* all zero at first */
    struct regression regression;
    double constant, top; /* the highest worth learnt */
    struct buffer w, level, inverse;
};

/* Starts a round; borrows x until the next. 0 or a fault: more than BASELINE_DIM features. */
int baseline_round(struct baseline *baseline, const struct matrix *x, struct fault *fault);

/* The worth expected of document i, from 0 to the highest learnt. */
double baseline_expect(struct baseline *baseline, size_t i);

/* Document i is worth `worth`; it counts `much` times, above 0. 0 or a fault, after which the
 * baseline is unusable. O(dim^2). */
int baseline_learn(struct baseline *baseline, size_t i, double worth, double much,
                   struct fault *fault);

void baseline_close(struct baseline *baseline);

/* A round of a log, prepared by offline_round; all zero at first, except the table. */
struct logged {
    const struct examination *examination; /* of clicks, the caller's; NULL: labels */
    size_t docs, seen;        /* documents; how many of them were seen */
    const uint32_t *place;    /* place[seen], rising: their positions by score, from 0 */
    const uint32_t *order;    /* order[docs]: the documents by score */
    const double *relevance;  /* relevance[seen] */
    const double *propensity; /* propensity[seen]: pi, above 0 */
    const double *share;      /* share[seen]: u */
    enum support support;
    struct matrix x;          /* the features, for dr, from offline_features */
    struct buffer buffer[4];

    /* Of all rounds so far: how many; in how many nothing was left to chance, as far as their
     * propensities say; is there feedback, and any that is not a click? */
    uint64_t rounds, certain;
    bool answered, graded;
};

/* Prepares a round: the other ranking is the one by score, ties broken by `ties`, as explore breaks
 * them. `name` is the measure's, for messages. A data fault where the round has no scores, no
 * feedback, or no known propensities. O(m log m). */
int offline_round(struct logged *logged, const struct round *round, const struct ties *ties,
                 const char *name, struct fault *fault);

/* For dr, after offline_round: its features. 0 or a fault. */
int offline_features(struct logged *logged, const struct round *round, struct fault *fault);

/* Writes what the user should know at the end: that nothing was left to chance, or that intervals
 * of a short log are too narrow. False: nothing more; `said` is how many lines were written
 * before. */
bool offline_notice(const struct logged *logged, unsigned said, struct fault *line);
void offline_close(struct logged *logged);

#define OFFLINE_LONG 20000 /* rounds from which on intervals hold what they promise */

enum { OFFLINE_A, OFFLINE_B, OFFLINE_C, OFFLINE_M, OFFLINE_SUMS, OFFLINE_PLACES = 64 };

enum estimator { OFFLINE_IPS, OFFLINE_SNIPS, OFFLINE_DR };

struct offline { /* all zero at first */
    struct measure measure; /* M */
    const struct linear_measure *linear;
    enum estimator estimator;
    bool clicks; /* estimates by a table; where neither this nor snips, B and C stay 0 */
    double unit;                /* M is divided by it: k of p@k, else 1 */
    double round[OFFLINE_SUMS]; /* a, b, c, M of the last offline_look */
    double sum[OFFLINE_SUMS];   /* over the rounds added */
    uint64_t rounds;
    double mean[OFFLINE_SUMS];  /* by the recurrence of Welford 1962, for spread: */
    double spread[OFFLINE_SUMS][OFFLINE_SUMS]; /* sums of products of deviations from the mean */
    double supported, supports; /* weight that has support in the last round, and over all */
    double noise, noises;       /* V, the same                                             */
    struct clicked { /* at a position of the other ranking; those of the last and after it */
        double clicks, examined;
    } at[OFFLINE_PLACES];
    struct baseline baseline;   /* of dr */
};

/* Parses M: dcg[@k] prec@k p@k sumloss. The name stays the caller's. 0, or a usage fault that says
 * why other measures cannot be estimated. */
int offline_parse(struct offline *offline, const char *measure, enum estimator estimator,
                  struct fault *fault);
void offline_end(struct offline *offline); /* frees what it holds */

/* Computes a, b and c of a round, from which dr then learns; the sums stay as they are. Needs
 * measure_places. A data fault where the square of a is too large for a double. O(cutoff); of dr
 * O(docs dim + seen dim^2). */
int offline_look(struct offline *offline, const struct logged *logged,
                 const struct measured *measured, struct fault *fault);

/* Adds the round of the last offline_look. */
void offline_add(struct offline *offline);

/* The estimate: NaN without a round, and of snips while B is 0. Its standard error: NaN also with
 * fewer than 2 rounds. */
double offline_value(const struct offline *offline);
double offline_error(const struct offline *offline);

/* Of clicks: the effective sample size, and the share of weight without support; NaN without a
 * round. */
double offline_rounds(const struct offline *offline);
double offline_unsupported(const struct offline *offline);

#endif
