/* memory_text: what a memory holds, as text: a line for each pair of query and document; and by how
 * much its scores differ from those of its weights, which a search engine that ranks by the
 * exported weights adds to a document's score. */
#ifndef RANKPIPE_MEMORY_TEXT_H
#define RANKPIPE_MEMORY_TEXT_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "learn/scoring.h"
#include "memory/memory_keys.h"
#include "memory/memory_table.h"
#include "memory/memory_view.h"
#include "model/model.h"
#include "stream/record.h"
#include "stream/round.h"
#include "text/forms.h"

struct memory_boosts { /* all zero at first, except scoring.learners; must not be moved */
    struct scoring scoring;
    struct model *model;   /* a copy of the last one; NULL: none came */
    struct buffer columns; /* of the copy                             */
};

struct memory_text { /* all zero at first, except printer.out and boosts.scoring.learners */
    struct printer printer;
    bool taken, named;           /* did a model come, and a round after it? */
    struct memory_arrays arrays; /* the model's entries, copied             */
    struct memory_secret secret;
    unsigned ways;
    struct memory_keys keys;
    struct buffer copy;
    struct memory_boosts boosts;
};

/* These five print through `printer`, which must be the member of a memory_text: so a table of
 * forms may hold them. 0 or a fault, without a place. */

/* Takes a model of the learner memory, in place of the last one; any other is a fault. The last one
 * is printed if no round came after it: "key TAB n TAB sum" for each entry, keys rising. */
int memory_text_model(struct printer *printer, const struct record *record, struct fault *fault);

/* Prints the documents of a round that the model remembers, in document order: "key TAB n TAB sum
 * TAB qid TAB document", where document is its name, or its number from 0. A fault before the first
 * model. */
int memory_text_round(struct printer *printer, const struct round *round, struct fault *fault);

/* The end of all streams: prints the last model as memory_text_model does. */
int memory_text_end(struct printer *printer, struct fault *fault);

/* Boosts: takes a model of the learner memory, in place of the last one; any other is a fault. */
int memory_text_boosts_model(struct printer *printer, const struct record *record,
                             struct fault *fault);

/* Scores a round, and prints "qid TAB document TAB boost" for each document whose score is not that
 * of the weights, in document order. A fault: no model came, the round has no names of documents,
 * or score could not score it. */
int memory_text_boosts_round(struct printer *printer, const struct round *round,
                             struct fault *fault);

void memory_text_close(struct memory_text *text);

#endif
