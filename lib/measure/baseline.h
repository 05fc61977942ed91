/* baseline: ridge regression of what documents are worth on their features, for doubly robust
 * estimates: it predicts a round by the rounds before it alone (math/regression.h, with a
 * constant). */
#ifndef RANKPIPE_BASELINE_H
#define RANKPIPE_BASELINE_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "math/matrix.h"
#include "math/regression.h"

enum { BASELINE_DIM = 4096 };

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

#endif
