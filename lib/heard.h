/* heard: what a round says about its documents, to who learns from it. */
#ifndef RANKPIPE_HEARD_H
#define RANKPIPE_HEARD_H

#include <stddef.h>
#include <stdint.h>

#include "fault.h"
#include "policy.h"
#include "round.h"
#include "space.h"

/* The documents whose relevance is known, in document order. */
struct heard {
    size_t docs;
    const uint32_t *doc;     /* doc[docs], rising */
    const double *relevance; /* relevance[docs]   */
};

/* For learners that make do with any of them: those seen, or all where labels were never masked. */
int heard_documents(struct heard *heard, const struct round *round, struct space *space,
                    struct fault *fault);

/* For learners that weigh what was seen by how likely it was: the places shown, to the learner of
 * that name, who needs `least` of a longer list (SIZE_MAX: all). Labels that were never masked are
 * all seen. A fault tells what is missing and who puts it there. */
int heard_places(struct shown *shown, const struct round *round, const char *name, size_t least,
                 struct space *space, struct fault *fault);

/* Both borrow `space`: what they say is good until it is used again. */

#endif
