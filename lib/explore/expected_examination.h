/* expected_examination: with what probability users examined the documents of a logged round, over
 * the orders that might have been drawn: the propensity of a click (Oosterhuis & de Rijke 2020;
 * Li et al. 2018, the item-position model with theta).
 *
 *     pi_j = sum_{k <= K} P(j at position k) theta_k      K: the places of the column seen
 *
 * With m documents, g the position of j in the greedy order, theta_k = 0 beyond K, all positions
 * from 1, and P that of how the order was drawn (explore(1)), this is
 *
 *     gamma           (1 - gamma) theta_g + gamma sum_k theta_k / m
 *     gamma, top T    (1 - gamma) theta_g + gamma (sum_{k <= T} theta_k / m + (1 - T/m) R), where R
 *                     is the mean of theta_{T + g - X}, X of the g - 1 documents before j being
 *                     among T drawn from m - 1: hypergeometric
 *     gamma, swap T   with f = gamma / (T (m - T)):
 *                     g <= T: (1 - gamma / T) theta_g + f sum_{k > T} theta_k
 *                     g > T: (1 - gamma / (m - T)) theta_g + f sum_{k <= T} theta_k
 *     propensity      what the log says, which must be this already
 *     logit           p_j theta_1; K = 2: + (P(j in the first two) - p_j) theta_2; K is at most 2
 */
#ifndef RANKPIPE_EXPECTED_EXAMINATION_H
#define RANKPIPE_EXPECTED_EXAMINATION_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "explore/examination.h"
#include "stream/round.h"

/* How much of the documents' examination the log tells. */
enum support {
    SUPPORT_ALL,    /* each document might have been seen                                    */
    SUPPORT_SHOWN,  /* nothing was left to chance: none but those shown                      */
    SUPPORT_UNKNOWN /* the log has propensities of those shown, and says nothing of others   */
};

/* Sets pi[places] of the documents at the places of seen, which is there. `room` is memory to work
 * in, and `name` is what asks, for messages. 0 or a data fault: the table is too short; or the
 * round does not say how its order was drawn. O(m + K), with top O(m + K T^2). */
int expected_examination(const struct round *round, const struct examination *examination,
                         const char *name, struct buffer *room, double *pi, enum support *support,
                         struct fault *fault);

#endif
