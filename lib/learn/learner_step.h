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

/* Points a regression at the state's weights and at its arrays number `level` and `inverse`, with
 * the settings lambda and plain. It is valid until the state grows, and keeps its buffers. */
void learner_regression(struct regression *regression, const struct state *state,
                        size_t level, size_t inverse);

/* Finds the documents whose relevance the round says, for a learner that takes them for all
 * documents. They lie in state->places. Returns 0 or a fault. */
int learner_feedback(struct state *state, const struct round *round, struct feedback *feedback,
                     struct fault *fault);

/* Returns 0, or a fault if n documents with feedback are more than the learner takes. */
int learner_check_docs(const struct state *state, size_t n, struct fault *fault);

/* Returns 0, or a fault if one of n answers is so large that a sum of squared residuals could
 * become infinite. */
int learner_answers(size_t n, const double *answer, struct fault *fault);

/* Returns s[docs], the weights times x, which is valid until the next call; or NULL with a fault,
 * if a score is not finite. */
double *learner_score(struct state *state, const struct matrix *x, struct fault *fault);

/* Returns 0, or a fault that names a weight that is not finite. O(dim). */
int learner_check(const struct state *state, struct fault *fault);

/* Returns the fault of a step that would make weight j `value`, which is not finite. */
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
