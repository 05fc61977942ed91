/* feedback: what a round says about its documents, to who learns from it. */
#ifndef RANKPIPE_FEEDBACK_H
#define RANKPIPE_FEEDBACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "explore/policy.h"
#include "stream/round.h"

/* The documents whose relevance is known, in document order. */
struct feedback {
    size_t docs;
    const uint32_t *doc;     /* doc[docs], rising */
    const double *relevance; /* relevance[docs]   */
};

/* Both are for the learner of that name, who needs `least` places of a longer list (SIZE_MAX:
 * all); labels that were never masked are all seen. A fault tells what is missing and who puts it
 * there. They borrow `space`: what they say is good until it is used again. */

/* For learners that take what was seen for all there is. */
int feedback_documents(struct feedback *feedback, const struct round *round, const char *name,
                       size_t least, struct buffer *buffer, struct fault *fault);

/* For learners that weigh what was seen by how likely it was: the places shown. Who needs two
 * places learns from pairs. What policy_one says is above 0 then, and what policy_two says is
 * too for who learns from pairs, and their reciprocals are finite; but a gamma may be that small
 * itself. */
int feedback_exposure(struct exposure *exposure, const struct round *round, const char *name,
                      size_t least, struct buffer *buffer, struct fault *fault);

/* For learners from clicks, of the same name and need: is there seen, each of it 1 or 0? 0, or a
 * fault. */
int feedback_clicks(const struct round *round, const char *name, size_t least, struct fault *fault);

#endif
