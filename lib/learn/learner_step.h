/* learner_step: what learners of several families do in a round: feedback, scores, regressions and
 * checks. */
#ifndef RANKPIPE_LEARNER_STEP_H
#define RANKPIPE_LEARNER_STEP_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "explore/feedback.h"
#include "learn/learner.h"
#include "learn/settings.h"
#include "math/matrix.h"
#include "math/regression.h"
#include "model/model.h"

/* The hook `close` of a learner whose own state is a struct buffer. */
void learner_close_buffer(void *own);

/* The smoothing of the next round t: -E, times t^-F where it falls; above 0. */
double learner_epsilon(const struct state *state);

/* The cutoff; SIZE_MAX where it is not set. */
size_t learner_cutoff(const struct state *state);

/* The arrays of a learner that has a regression (math/regression.h), by their numbers: the weights
 * of the means, P, and the weight of the constant. The weights of the deviations are w. */
struct regression_arrays {
    size_t level, inverse, constant;
    bool has_constant; /* else the constant is no row of P                              */
    size_t counted;    /* the sums of c z^2 by rows of P, with a prior's kappa; 0: none */
    struct sketch *sketch; /* in place of P (math/sketch.h); NULL: there is P           */
};

/* Makes a regression one of the state's weights and its arrays number `level` and `inverse`,
 * by the settings lambda and plain; good until the state grows. It keeps its buffers. */
void learner_regression(struct regression *regression, const struct state *state,
                        size_t level, size_t inverse);

/* The documents whose relevance the round says, for a learner that takes them for all there is.
 * They lie in state->places. */
int learner_feedback(struct state *state, const struct round *round, struct feedback *feedback,
                     struct fault *fault);

/* 0, or a fault where n documents with feedback are more than the learner takes. */
int learner_check_docs(const struct state *state, size_t n, struct fault *fault);

/* 0, or a fault where one of n answers is so large that the sum of their squares, which measures
 * how far they are from what was expected, could not be finite. */
int learner_answers(size_t n, const double *answer, struct fault *fault);

/* The weights times x: s[docs], finite; a feature that is not finite is a fault. Good until the
 * next call; NULL after a fault. */
double *learner_score(struct state *state, const struct matrix *x, struct fault *fault);

/* Are all weights finite? 0, or a fault that names one that is not. O(dim). */
int learner_check(const struct state *state, struct fault *fault);

/* The fault of a step that would make weight j `value`, which is not finite. */
int learner_diverges(const struct state *state, size_t j, double value, struct fault *fault);

/* What several learners score by besides the weights: their settings, and the first array of their
 * row, if it has any. It is their scoring half, or first in it; the functions are hooks of struct
 * learner. */
struct scored { /* all zero at first */
    struct settings settings;
    size_t dim, n;       /* weights; numbers of the array */
    const double *array; /* array[n]: borrowed, or in `copy` */
    struct buffer copy, work;
};

/* The array may be of any length n. */
int scored_take(void *own, const struct learner *learner, const struct model *model,
                enum taking how, struct fault *fault);
int scored_publish(void *own, struct state *state, struct model *model, enum publishing how,
                   struct fault *fault);
void scored_leave(void *own);

#endif
