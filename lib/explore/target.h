/* target: a policy that is to be judged by the rounds of a log, which another policy showed: in
 * which order it ranks a round, and how much of each position a document has under it. */
#ifndef RANKPIPE_TARGET_H
#define RANKPIPE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "explore/policies.h"
#include "io/watch.h"
#include "math/order.h"
#include "stream/round.h"

struct target { /* all zero at first, which is greedy by score */
    struct explorer explorer; /* the policy and its settings; none: greedy; ranks          */
    const double *logit;      /* of plackett-luce: logit[docs] of the last round, by position */
    struct buffer logits, room;
};

/* Parses POLICY[,gamma=G][,places=K][,temperature=H], where the policy is greedy or one of explore,
 * with what it takes there. 0, or a usage fault: the text, or a policy whose placements nobody
 * knows. */
int target_parse(struct target *target, const char *text, struct fault *fault);

/* 0, or a usage fault: the policy needs a gamma. */
int target_check(const struct target *target, struct fault *fault);

/* The name of policy i that can be judged, from 0, or NULL after the last. */
const char *target_name(size_t i);

/* order[docs]: the greedy order of the policy, ties as `ties` says. 0, or a data fault: the round
 * lacks a column by which the policy ranks, or a score is too large. O(docs log docs). */
int target_rank(struct target *target, const struct round *round, const struct ties *ties,
                uint32_t *order, struct fault *fault);

/* W[docs], by position in the order of the last target_rank: the mean over the orders that the
 * policy might draw of the document's weight, weight[places] being those of the first positions,
 * places at most docs, and the others 0. Of greedy it is the weights themselves, to the bit. 0 or a
 * fault; `work` (or NULL) may be stopped. placement.h says what it costs. */
int target_weights(struct target *target, size_t docs, size_t places, const double *weight,
                   double *W, struct long_work *work, struct fault *fault);

void target_close(struct target *target);

#endif
