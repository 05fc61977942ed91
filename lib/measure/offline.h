/* offline: what another ranking would have scored, told by a log: rounds that were shown in orders
 * drawn with known probabilities, and answered for the documents seen alone (Horvitz & Thompson
 * 1952; Strehl, Langford, Li & Kakade 2010; Li et al. 2018, the item-position model).
 *
 * M is a sum over documents of weight(place) gain(R) (linear_measure.h). With place_j the place
 * that the other ranking has document j at, and pi_j the probability that it was seen, round t has
 *   a = sum_{j seen} weight(place_j) gain(R_j) / pi_j,
 *   b = sum_{j seen} weight(place_j) / pi_j,    c = sum_j weight(place_j),
 * and over the orders that might have been drawn the mean of a is M, that of b is c.
 *
 *   ips    A, and its standard error is sqrt(var(a) / n)
 *   snips  A C / B, as b tells how far the draws were off (Swaminathan & Joachims 2015), and its
 *          standard error is sqrt(var(e) / n), e = (C/B) (a - q b) + q c, q = A/B
 *
 * A, B, C being the means of a, b, c over the n rounds, and var the sample variance. e is the
 * gradient of A C / B times (a, b, c): the delta method. The rounds are taken for a sample of all
 * there might be, so that what differs between queries is in the error, too; about the same rounds
 * drawn anew it says too much, if anything. Where all is seen a = M and b = c, and both are the
 * value and the error of M itself. */
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

/* A round of a log, made ready by logged_round; all zero at first. */
struct logged {
    size_t docs, seen;       /* m; of how many the relevance is known */
    const uint32_t *place;   /* place[seen], from 0, rising: where they stand by score */
    const double *relevance; /* relevance[seen]                                        */
    const double *likely;    /* likely[seen]: pi, above 0                              */
    struct buffer buffer[3];
};

/* The ranking to be judged is the one by score, with ties as explore would break them by `ties`;
 * what was seen, and how likely, is as the log says. `name` is the measure's, for words. A data fault where the round has
 * no score, or was not answered, or where nobody can know how likely it was seen. O(m log m). */
int logged_round(struct logged *logged, const struct round *round, const struct ties *ties,
                 const char *name, struct fault *fault);
void logged_close(struct logged *logged);

enum { OFFLINE_A, OFFLINE_B, OFFLINE_C, OFFLINE_SUMS };

struct offline { /* all zero at first */
    struct measure measure; /* M */
    const struct linear_measure *linear;
    bool normalised;            /* snips; B and C of ips stay 0 */
    double unit;                /* what M is divided by: k of p@k */
    double round[OFFLINE_SUMS]; /* a, b, c of the round last looked at */
    double sum[OFFLINE_SUMS];   /* of the rounds added */
    uint64_t rounds;
    double mean[OFFLINE_SUMS];  /* by the recurrence of Welford 1962, for spread: */
    double spread[OFFLINE_SUMS][OFFLINE_SUMS]; /* sums of products of deviations from the mean */
};

/* M by name: dcg[@k] prec@k p@k sumloss. The name is the caller's. Returns 0 or a usage fault that
 * says why the others cannot be had. */
int offline_parse(struct offline *offline, const char *measure, bool normalised,
                  struct fault *fault);

/* Works out what the round at hand will add; the sums stay as they are. The judge lends its
 * conventions, and its places made ready. A data fault where a cannot be squared. O(cutoff). */
int offline_look(struct offline *offline, const struct logged *logged, const struct judge *judge,
                 struct fault *fault);

/* Adds the round last looked at. */
void offline_add(struct offline *offline);

/* The estimate: NaN without a round, and of snips while B is 0. Its standard error: NaN with fewer
 * than 2 rounds, too. */
double offline_value(const struct offline *offline);
double offline_error(const struct offline *offline);

#endif
