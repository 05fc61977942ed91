/* placement: where a policy shows each document on average, given a weight of each position: the
 * examination of the position, or its weight in a measure.
 *
 *     W_j = sum_k P(document j is shown at position k) weight_k
 *
 * sum_j W_j is the sum of the weights, whatever the policy does. */
#ifndef RANKPIPE_PLACEMENT_H
#define RANKPIPE_PLACEMENT_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/watch.h"

/* A list of documents in the greedy order, and the weights of its first positions; those of the
 * others are 0. */
struct placement {
    size_t docs, places;  /* m; weights, at most docs                    */
    const double *weight; /* weight[places], the caller's                */
    size_t T;             /* positions that the policy is about, or 0    */
    double *chance;       /* chance[T + 1], to work in: for top alone    */
    double upper, lower, all; /* set by placement_start: sums of the weights of the first T
                               * positions, of the others, and of all    */
};

/* After the other members are set. O(places). */
void placement_start(struct placement *placement);

/* W of the document at position g of the greedy order, from 0, in rounds that explore (explore(1)
 * describes the policies): the whole order is random; the first T positions are, or the whole order
 * if T is 0; one of the first T documents is swapped with one below; position T gets a document
 * drawn from those at T and below, and those before that one move down. T is at least 1 for swap
 * and slot. Where a list is too short to explore, it is greedy. O(1); of top O(T^2). */
double placement_uniform(const struct placement *placement, size_t g);
double placement_top(const struct placement *placement, size_t g);
double placement_swap(const struct placement *placement, size_t g);
double placement_slot(const struct placement *placement, size_t g);

/* W[m] of plackett-luce: each position gets one of the documents left, with probability in
 * proportion to exp(logit). logit[m] falls or stays equal.
 *
 * Document j is as likely at position k as an alarm clock that rings after an exponential time with
 * the rate p_j = exp(logit_j) is to ring as the k-th (Luce 1959; Yellott 1977). So
 *
 *     P(j at k) = integral over t of p_j e^(-p_j t) P(exactly k - 1 others have rung at t)
 *
 * by the trapezoidal rule in log t, which converges exponentially: P(j at k) has an error below
 * 1e-14, whatever the logits are. The counts of others are products of factors (1 - q_i) + q_i z,
 * q_i = 1 - e^(-p_i t), by halves, so that nothing is subtracted. Documents more than 50 below the
 * one before come after it, as all but e^-50 of the orders have it.
 *
 * 0, or a fault: memory, or `work` (or NULL) was stopped. O(m log m places N) with N = (48 + span
 * of the logits) / step, about 300 for ten positions. */
int placement_luce(size_t m, const double *logit, size_t places, const double *weight, double *W,
                   struct buffer *room, struct long_work *work, struct fault *fault);

#endif
