/* make: valid streams and texts, drawn. */
#ifndef RANKPIPE_STRUCTURED_MAKE_H
#define RANKPIPE_STRUCTURED_MAKE_H

#include "draft.h"

/* What rounds a stream has. */
struct shape {
    size_t rounds, docs, dim; /* at most so many documents; dim 0: sparse, or items        */
    bool items;               /* each round is the same list                               */
    bool sparse, labels, names, scores, rivals, wild; /* wild: features of any value */
    bool ranked;              /* with base, and some rounds with held                      */
};

/* A shape: mostly a few small rounds. */
struct shape make_shape(struct dice *draw, bool items);

/* A whole stream of that shape, with its end record. */
struct stream make_rounds(struct dice *draw, const struct shape *shape);

/* Text: of svm2bin, of weights2bin, of feedback-join for rounds of at most so many documents.
 * `odd`: how seldom a word is out of order; 0: never. */
const char *make_svm(struct dice *draw, size_t odd);
const char *make_weights(struct dice *draw, size_t odd);
const char *make_answers(struct dice *draw, const struct stream *rounds, size_t odd);

#endif
