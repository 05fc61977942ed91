/* offline: estimates, from a log, the value that another ranking would have had. The log has rounds
 * whose orders were drawn with known probabilities, and feedback on the documents seen (Horvitz &
 * Thompson 1952; Strehl, Langford, Li & Kakade 2010; Li et al. 2018, the item-position model).
 *
 * The measure M is a sum over documents of weight(position) gain(R) (linear_measure.h). With
 * position_j the position of document j in the other ranking, and pi_j the propensity of j, the
 * probability that it was seen, round t has
 *   a = sum_{j seen} weight(position_j) gain(R_j) / pi_j,
 *   b = sum_{j seen} weight(position_j) / pi_j,    c = sum_j weight(position_j),
 * and over the orders that might have been drawn the mean of a is M, and that of b is c.
 *
 *   ips    A; its standard error is sqrt(var(a) / n)
 *   snips  A C / B, which corrects A by the known mean of b (Swaminathan & Joachims 2015); its
 *          standard error is sqrt(var(e) / n), e = (C/B) (a - q b) + q c, q = A/B
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
#include "math/ties.h"
#include "measure/linear_measure.h"
#include "measure/measure.h"
#include "stream/round.h"

/* A round of a log, prepared by offline_round; all zero at first. */
struct logged {
    size_t docs, seen;        /* documents; how many of them were seen */
    const uint32_t *place;    /* place[seen], rising: their positions by score, from 0 */
    const double *relevance;  /* relevance[seen] */
    const double *propensity; /* propensity[seen]: pi, above 0 */
    struct buffer buffer[3];
};

/* Prepares a round: the other ranking is the one by score, ties broken by `ties`, as explore breaks
 * them. `name` is the measure's, for messages. A data fault where the round has no scores, no
 * feedback, or no known propensities. O(m log m). */
int offline_round(struct logged *logged, const struct round *round, const struct ties *ties,
                 const char *name, struct fault *fault);
void offline_close(struct logged *logged);

enum { OFFLINE_A, OFFLINE_B, OFFLINE_C, OFFLINE_SUMS };

struct offline { /* all zero at first */
    struct measure measure; /* M */
    const struct linear_measure *linear;
    bool normalised;            /* snips; else ips, whose B and C stay 0 */
    double unit;                /* M is divided by it: k of p@k, else 1 */
    double round[OFFLINE_SUMS]; /* a, b, c of the last offline_look */
    double sum[OFFLINE_SUMS];   /* over the rounds added */
    uint64_t rounds;
    double mean[OFFLINE_SUMS];  /* by the recurrence of Welford 1962, for spread: */
    double spread[OFFLINE_SUMS][OFFLINE_SUMS]; /* sums of products of deviations from the mean */
};

/* Parses M: dcg[@k] prec@k p@k sumloss. The name stays the caller's. 0, or a usage fault that says
 * why other measures cannot be estimated. */
int offline_parse(struct offline *offline, const char *measure, bool normalised,
                  struct fault *fault);

/* Computes a, b and c of a round; the sums stay as they are. Needs judge_places. A data fault where
 * the square of a is too large for a double. O(cutoff). */
int offline_look(struct offline *offline, const struct logged *logged, const struct judge *judge,
                 struct fault *fault);

/* Adds the round of the last offline_look. */
void offline_add(struct offline *offline);

/* The estimate: NaN without a round, and of snips while B is 0. Its standard error: NaN also with
 * fewer than 2 rounds. */
double offline_value(const struct offline *offline);
double offline_error(const struct offline *offline);

#endif
