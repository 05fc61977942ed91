/* memory_boosts: by how much a memory's scores differ from those of its weights, as text: what a
 * search engine that ranks by the exported weights adds to a document's score. */
#ifndef RANKPIPE_MEMORY_BOOSTS_H
#define RANKPIPE_MEMORY_BOOSTS_H

#include "base/buffer.h"
#include "base/fault.h"
#include "learn/scoring.h"
#include "stream/model.h"
#include "stream/record.h"
#include "stream/round.h"
#include "text/forms.h"

struct memory_boosts { /* all zero at first, except scoring.learners; must not be moved */
    struct scoring scoring;
    struct model *model;   /* a copy of the last one; NULL: none came */
    struct buffer columns; /* of the copy                             */
};

/* Takes a model of the learner memory, in place of the last one; any other is a fault. 0 or a
 * fault. */
int memory_boosts_model(struct memory_boosts *boosts, const struct record *record,
                        struct fault *fault);

/* Scores a round, and prints "qid TAB document TAB boost" for each document whose score is not that
 * of the weights, in document order. 0, or a fault: no model came, the round has no names of
 * documents, or score could not score it. */
int memory_boosts_round(struct memory_boosts *boosts, struct printer *printer,
                        const struct round *round, struct fault *fault);

void memory_boosts_close(struct memory_boosts *boosts);

#endif
