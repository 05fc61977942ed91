/* offline: estimates, from a log, the value that another ranking, or another policy, would have
 * had. The log has rounds whose orders were drawn with known probabilities, and feedback on the
 * documents seen (Horvitz & Thompson 1952; Strehl, Langford, Li & Kakade 2010; Li et al. 2018, the
 * item-position model). Feedback is labels, or with a table of examination clicks.
 *
 * The measure M is a sum over documents of weight(position) gain(R) (measure.h). With W_j the mean
 * weight of the position that the target gives document j (target.h; of a ranking it is the weight
 * of its position), and pi_j the propensity of j, the probability that it was seen, round t has
 *   a = sum_{j seen} W_j gain(R_j) / pi_j,
 *   b = sum_{j seen} W_j u_j / pi_j,    c = sum_j W_j,
 * and over the orders that might have been drawn the mean of a is that of M under the target, and
 * that of b is c. u_j is 1; of clicks it is theta_k of the position k where j was shown, and pi_j
 * the expected examination of j (examination.h): then M is that of r, where clicks have the
 * probability theta_k r.
 *
 *   ips    A; its standard error is sqrt(var(a) / n)
 *   snips  A C / B, which corrects A by the known mean of b (Swaminathan & Joachims 2015); its
 *          standard error is sqrt(var(e) / n), e = (C/B) (a - q b) + q c, q = A/B
 *   dr     as ips, with a = sum_j W_j g_j + sum_{j seen} W_j (gain(R_j) - u_j g_j) / pi_j, where
 *          g_j is what a regression on the features of the rounds before expects of
 *          gain(R_j) / u_j (Dudik, Langford & Li 2011; struct baseline). Unbiased as ips is; the
 *          errors of rounds are uncorrelated, as g_j depends on rounds before alone
 *
 * The variance of the sample is too small where little feedback on documents that were seldom shown
 * makes most of it: a log without such feedback would say that it has none. Given what was shown, a
 * has the mean M and the variance V,
 *   M = sum_{j seen} W_j y_j / pi_j      (dr: sum_j W_j g_j)
 *   V = sum_{j seen} W_j^2 y_j (G - y_j) / pi_j^2
 * where y_j is u_j g_j or, of ips and snips, u_j (gains + prior) / (sum of u + 1) of the documents
 * that were seen before and have the position of j in the target's greedy order. A gain that is 0
 * or G, with the mean y, has the variance y (G - y): G is the sum of squares of the gains before
 * over their sum. Documents that are seldom shown are mostly worse, and have gains, G and prior
 * apart from the others: the prior is (gains + G/2) / (documents + 1) of all positions. Of clicks
 * G is 1 and the prior 1/2, for all documents. The interval takes the larger of var(a) and var(M) +
 * mean of V; so does the standard error of clicks.
 *
 * A document is seldom shown if pi_j < u_j / 2, or if it was not seen and is not one of the first
 * of the log's greedy order, which is shown in at least half of the rounds. Where the target gives
 * weight to such documents, nothing is known until a document with weight had feedback above 0, and
 * the normal interval is not known until OFFLINE_FED rounds that explored had feedback above 0 on a
 * document that the target lifts. A round explored if it has the column greedy or logit, or the
 * column propensity with a pi_j below u_j. A document is lifted if W_j is more than what the log
 * gives it: pi_j / u_j times the weight of the position where it was shown.
 *
 * The effective sample size is (sum b)^2 / sum b^2 (Kish 1965). The share of weight without support
 * is that of documents that no order could have shown, by W_j: 0 where the log says that each may
 * be shown; 1 - B / C where it has propensities of those shown alone.
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
#include "explore/target.h"
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

/* A round of a log, prepared by offline_round; all zero at first, except the table and target. */
struct logged {
    const struct examination *examination; /* of clicks, the caller's; NULL: labels */
    struct target target;     /* set up by the caller, closed by offline_close */
    uint64_t t;
    size_t docs, seen;        /* documents; how many of them were seen */
    const uint32_t *place;    /* place[seen], rising: their positions in the target's order */
    const uint32_t *order;    /* order[docs]: the documents in that order */
    const uint32_t *shown;    /* shown[seen]: where they were shown; both from 0 */
    const double *relevance;  /* relevance[seen] */
    const double *propensity; /* propensity[seen]: pi, above 0 */
    const double *share;      /* share[seen]: u */
    const bool *seldom;       /* seldom[docs], by position in the target's order */
    bool explored;
    enum support support;
    struct matrix x;          /* the features, for dr, from offline_features */
    struct buffer buffer[5];

    /* The weights of the positions of a measure, and W[docs], by position in the target's order:
     * kept for the next measure, which may have the same. */
    const struct linear_measure *weighed; /* NULL: none of this round */
    size_t cutoff;
    const double *weight, *W;

    /* Of all rounds so far: how many; in how many nothing was left to chance, as far as their
     * propensities say; is there feedback, and any that is not a click? */
    uint64_t rounds, certain;
    bool answered, graded;
};

/* Prepares a round: the target ranks it, ties broken by `ties`, as explore breaks them. `name` is
 * the measure's, for messages. A data fault where the round has no scores, no feedback, or no known
 * propensities. O(m log m). */
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
enum { OFFLINE_FED = 20 }; /* rounds that an interval needs */

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
    struct offline_knowledge {
        bool unsure; /* has a document that is seldom shown weight?                      */
        bool fed;    /* has one with weight feedback above 0?                            */
        bool lifted; /* and did the round explore, and the target lift such a one?       */
        double b;
        uint64_t t;
    } last, heaviest;           /* of the last round; of that added with the largest b   */
    bool unsure, fed;           /* the same of any round added                           */
    uint64_t lifted;            /* how many of them                                      */
    double weights;             /* the sum of b, whatever the estimator                  */
    struct paid { /* sums over documents seen: not seldom shown, and, of labels, seldom shown */
        double gains, squares, examined;
    } at[2][OFFLINE_PLACES], /* at a position of the other ranking; the last and after it    */
        paid[2];             /* at all of them                                               */
    struct baseline baseline;   /* of dr */
};

/* Parses M: dcg[@k] prec@k p@k sumloss. The name stays the caller's. 0, or a usage fault that says
 * why other measures cannot be estimated. */
int offline_parse(struct offline *offline, const char *measure, enum estimator estimator,
                  struct fault *fault);
void offline_end(struct offline *offline); /* frees what it holds */

/* Computes a, b and c of a round, from which dr then learns; the sums stay as they are. Needs
 * measure_places. A fault where the square of a is too large for a double, or the work is stopped.
 * O(docs), and what the target's weights cost; of dr O(docs dim + seen dim^2). */
int offline_look(struct offline *offline, struct logged *logged, const struct measured *measured,
                 struct fault *fault);

/* Adds the round of the last offline_look. */
void offline_add(struct offline *offline);

/* The estimate: NaN while nothing is known. Its standard error: NaN also with fewer than 2 rounds,
 * and where it would be 0. Half of the normal interval of 95 %: NaN while it is not known. */
double offline_value(const struct offline *offline);
double offline_error(const struct offline *offline);
double offline_margin(const struct offline *offline);

/* Writes what the user should know of the estimate at the end: nothing was seen; a round has more
 * than a tenth of all weight; or why there is no interval. As offline_notice. */
bool offline_doubt(const struct offline *offline, unsigned said, struct fault *line);

/* Of clicks: the effective sample size, and the share of weight without support; NaN without a
 * round. */
double offline_rounds(const struct offline *offline);
double offline_unsupported(const struct offline *offline);

#endif
