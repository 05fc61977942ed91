/* why: why a document has its score: the parts that add up to it, as text.
 *
 * A learner that ranks by Xw has one part for each feature, w_j x_j. One that adds to that says
 * what it adds by its hook `explain` (learner.h): weights of the means of a round's features, so
 * that feature j has the part w_j (x_j - mean_j) + level_j mean_j; a constant; and what it
 * remembers of the document. The parts add up to the score within 1e-12 of the sum of their
 * sizes. */
#ifndef RANKPIPE_WHY_H
#define RANKPIPE_WHY_H

#include "base/buffer.h"
#include "base/fault.h"
#include "io/watch.h"
#include "learn/learner.h"
#include "learn/scoring.h"
#include "math/matrix.h"
#include "stream/round.h"
#include "text/forms.h"

struct why { /* all zero at first, except scoring.learners */
    struct scoring scoring;
    struct matrix x;         /* the features of the round, which score                      */
    struct explained added;  /* what the learner adds to Xw; its arrays are `arrays`        */
    struct present present;  /* the features of the round that have a weight                */
    const double *shared;    /* shared[present.n]: what all documents have of their parts   */
    double *given;           /* given[docs]: the scores of the round, as they came          */
    unsigned char *held, *moved; /* held[docs], as it came, or else by the model; NULL: there is
                                  * none. moved[docs]: was it moved up to be judged?        */
    struct buffer arrays, means, parts, values, scores, moves;
};

/* Reads the model. `names` are those that a user gave to features, for a model without names; their
 * `features` is 0 where there are none. 0 or a fault. */
int why_open(struct why *why, const char *model, const struct feature_names *names,
             const struct watch *watch, struct fault *fault);

/* Prints the parts of the scores of a round by printer->why, documents in the order shown, or in
 * that of lines without one: "t TAB qid TAB document TAB part TAB what TAB value", a line for each
 * part, as bin2txt(1) has them. The round gets the model's scores in place of its own. 0, or a
 * fault, without a place: the round has no scores, or those of another model. */
int why_round(struct printer *printer, const struct round *round, struct fault *fault);

void why_close(struct why *why);

#endif
