/* scoring: scores by a model, from a file or from the ring. */
#ifndef RANKPIPE_SCORING_H
#define RANKPIPE_SCORING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "learn/learner.h"
#include "learn/origin.h"
#include "math/matrix.h"
#include "stream/reader.h"
#include "model/model.h"
#include "stream/round.h"

struct scoring { /* all zero at first, except `learners` */
    const struct learner *const *learners; /* the table: whose models there are  */
    const struct learner *learner;
    size_t dim;
    uint64_t rounds; /* that the model learnt from */
    bool ring;       /* the models come from the ring; set before the first one */
    size_t allowed;  /* a round of up to so many features may have another number than those that
                      * the model learnt from; 0: none may; set before */
    struct origin origin;
    bool lacked;     /* it was said that features have no weight                 */
    bool borrows;    /* models are the learner's own, of the same process        */
    uint64_t form;   /* of the last of these (model/model.h)                    */
    const double *w; /* w[dim]: `scale` times these are the weights */
    double scale;
    void *own;       /* what the learner scores by besides w: learner->scoring bytes */
    struct buffer weights; /* a copy */
    struct buffer spare;
    struct mapped file; /* a model's, whose numbers are used in place */
};

/* Copies what scores. The model may be freed then. A message of changes applies to what the
 * messages before it left. Returns 0 or a fault. */
int scoring_take(struct scoring *scoring, const struct model *model, struct fault *fault);

/* Takes the model in a file, and the file with it: `file` is empty then, and scoring_close closes
 * what it held. */
int scoring_take_file(struct scoring *scoring, struct mapped *file, const struct model *model,
                      struct fault *fault);

/* Takes the model in the file of this name. Returns 0, or a fault that names the file, also if it
 * does not exist. */
int scoring_open(struct scoring *scoring, const char *path, const struct watch *watch,
                 struct fault *fault);
#define SCORING_NO_FILE ": no such file: update -m makes one, and rankpipe service first that of " \
                        "a service"

/* Takes a model without a copy of the weights and of the learner's array, which are aligned, and
 * stay where they are. */
int scoring_borrow(struct scoring *scoring, const struct model *model, struct fault *fault);

void scoring_close(struct scoring *scoring);

/* Scores a round: adds the column ROUND_SCORE or ROUND_RIVAL; with scores also what the hook `rank`
 * of the learner adds (learner.h). `line`, which is FAULT_NONE before, gets what the user should
 * know of the round; it may be NULL. Returns 0, or a fault if
 * - the features were made in another way than the model's;
 * - the model came from a file, and is not for so many features;
 * - a score is not finite. */
int scoring_round(struct scoring *scoring, struct round *round, enum round_column column,
                  struct fault *line, struct fault *fault);

/* Returns the weight of a feature, which is counted from 0. A feature beyond the model's has the
 * weight 0. */
double scoring_weight(const struct scoring *scoring, size_t feature);

/* Points *x at the features by which a round is scored: the round's own, or what the model's steps
 * make of these. They are valid until the next call. Returns 0, or a fault if the round's features
 * were made in another way. */
int scoring_features(struct scoring *scoring, const struct round *round, struct matrix *x,
                     struct fault *fault);

#endif
