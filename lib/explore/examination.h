/* examination: with what probability users examine each position of a list, from a table.
 *
 * A click at position k has the probability theta_k r, where r belongs to the document: the
 * position-based model (Craswell, Zoeter, Taylor & Ramsey 2008; Joachims, Swaminathan & Schnabel
 * 2017). theta is known up to a factor; with theta_1 = 1, r is the probability of a click at
 * position 1.
 *
 * A table is text, as judge -e prints it and anyone can write it: a line for each position, from 1
 * and without gaps, the position and theta_k first, divided by blanks. What follows on a line is
 * not read, and neither are empty lines, comments (#), and a first line that begins with a
 * letter. */
#ifndef RANKPIPE_EXAMINATION_H
#define RANKPIPE_EXAMINATION_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/watch.h"
#include "stream/round.h"

#define EXAMINATION_LEAST 1e-9 /* of theta_k, and the reciprocal the most */
enum { EXAMINATION_PLACES = 1000000 };

struct examination { /* all zero at first: no table */
    double *theta;   /* theta[places], in the buffer */
    size_t places;
    struct buffer buffer;
};

/* Reads the table of a file. 0, or a fault with the file and line. */
int examination_read(struct examination *examination, const char *path, struct watch *watch,
                     struct fault *fault);

/* Makes it a table of so many positions, whose theta[places] the caller fills in: returns them, or
 * NULL with a fault. Then 0, or a data fault where one is no theta. */
double *examination_new(struct examination *examination, size_t places, struct fault *fault);
int examination_check(const struct examination *examination, struct fault *fault);

/* 0, or a data fault where the table has fewer than so many places, of the column seen. */
int examination_covers(const struct examination *examination, size_t places, struct fault *fault);

void examination_close(struct examination *examination);

/* How much of the documents' examination the log tells. */
enum support {
    SUPPORT_ALL,    /* each document might have been seen                                    */
    SUPPORT_SHOWN,  /* nothing was left to chance: none but those shown                      */
    SUPPORT_UNKNOWN /* the log has propensities of those shown, and says nothing of others   */
};

/* With what probability users examined the documents of a logged round, over
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
 *     gamma, slot T   with n = m - T + 1 and G = (1 - gamma) theta_g: theta_g if g < T, else
 *                     G + gamma (theta_T + (m - g) theta_(g+1) + (g - T) theta_g) / n
 *     propensity      what the log says, which must be this already
 *     logit           p_j theta_1; K = 2: + (P(j in the first two) - p_j) theta_2; K is at most 2
 *
 * Sets pi[places] of the documents at the places of seen, which is there. `room` is memory to work
 * in, and `name` is what asks, for messages. 0 or a data fault: the table is too short; or the
 * round does not say how its order was drawn. O(m + K), with top O(m + K T^2). */
int expected_examination(const struct round *round, const struct examination *examination,
                         const char *name, struct buffer *room, double *pi, enum support *support,
                         struct fault *fault);

#endif
