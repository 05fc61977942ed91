/* feedback: the feedback of a round, as learners and estimators use it. */
#ifndef RANKPIPE_FEEDBACK_H
#define RANKPIPE_FEEDBACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "explore/propensity.h"
#include "stream/round.h"

/* The documents whose relevance is known, in document order. */
struct feedback {
    size_t docs;
    const uint32_t *doc;     /* doc[docs], rising */
    const double *relevance; /* relevance[docs]   */
};

/* A fault that says what to do if a round has an order and labels but no feedback: then nothing has
 * hidden the labels of documents that no user was shown. Else 0. */
int feedback_masked(const struct round *round, struct fault *fault);

/* The other three are for the learner of that `name`, which needs feedback on `least` places if the
 * list is longer (SIZE_MAX: on all). Labels that were never masked count as feedback on all
 * documents. A fault says what is missing and which program adds it. The first two fill arrays in
 * `buffer`, which are valid until it is used again. O(docs). */

/* For learners that need no propensities. */
int feedback_documents(struct feedback *feedback, const struct round *round, const char *name,
                       size_t least, struct buffer *buffer, struct fault *fault);

/* For learners that weight by inverse propensity. propensity_one is then above 0, and so is
 * propensity_two if `least` is 2 or more (a learner from pairs). After plackett-luce their
 * reciprocals are finite; a gamma in the header may be so small that they overflow. */
int feedback_exposure(struct exposure *exposure, const struct round *round, const char *name,
                      size_t least, struct buffer *buffer, struct fault *fault);

/* The same for a round with the key subset and `seen`: of the documents on the places that this key
 * says, with DRAW_LOGGED, however many were seen; k q_j / n is their propensity. O(m log m). */
int feedback_subset(struct exposure *exposure, const struct round *round, struct buffer *buffer,
                    struct fault *fault);

/* For learners from clicks: 0 if the round has `seen`, on enough places and each 1 or 0. */
int feedback_clicks(const struct round *round, const char *name, size_t least, struct fault *fault);

#endif
