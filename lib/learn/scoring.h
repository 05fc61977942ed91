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
#include "stream/mapped.h"
#include "stream/model.h"
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
    const double *w; /* w[dim]: `scale` times these are the weights */
    double scale;
    void *own;       /* what the learner scores by besides w: learner->scoring bytes */
    struct buffer weights; /* a copy */
    struct buffer spare;
    struct mapped file; /* a model's, whose numbers are used in place */
};

/* Takes an aligned copy of what scores; the model may be freed. A message of changes applies to
 * what the messages before it left. */
int scoring_take(struct scoring *scoring, const struct model *model, struct fault *fault);

/* Takes the model in a file, which is open until scoring_close; nothing is left in `file`. */
int scoring_take_file(struct scoring *scoring, struct mapped *file, const struct model *model,
                      struct fault *fault);

/* The same without copying the weights and the learner's array, which are aligned and stay where
 * they are. */
int scoring_borrow(struct scoring *scoring, const struct model *model, struct fault *fault);

/* Points *z at the features that score a round with features x: x itself, or what the model's steps
 * make of it, good until the next call. A fault where x was made in another way, or where the model
 * came from a file and cannot be for so many features. */
int scoring_make(struct scoring *scoring, const struct round *round, const struct matrix *x,
                     struct matrix *z, struct fault *fault);

/* The steps that scoring_make makes features by; NULL: by none. */
const char *scoring_made(const struct scoring *scoring);

/* Has z more features than the model of a file has weights? Those without one count as 0. Never of
 * a model without any weights, nor of one that came from text. */
bool scoring_lacks(const struct scoring *scoring, const struct matrix *z);

/* Are the scores of x the learner's own Xw, with no weights missing? */
bool scoring_is_live(const struct scoring *scoring, const struct matrix *x);
void scoring_close(struct scoring *scoring);

/* Does the ring's learner draw a rival for each round? */
bool scoring_has_rival(const struct scoring *scoring);

/* rival[docs]: what the rival ranks by in round t, where s[docs] is scoring_round's result. */
int scoring_rival(struct scoring *scoring, const struct matrix *x, uint64_t t, const double *s,
                  double *rival, struct fault *fault);

/* The documents x of a round. index[docs] is filled in if scoring_has_index; else it may be NULL.
 * s[docs]: Xw, or what the learner turns it into (prank: the level). A score that is not finite is
 * a fault. */
int scoring_round(struct scoring *scoring, const struct matrix *x, const struct round *round,
                  double *s, double *index, struct fault *fault);

/* Adds fingerprints of the features x, as they came, where the learner knows documents by them.
 * 0 or a fault. */
int scoring_fingerprint(struct scoring *scoring, struct round *round, const struct matrix *x,
                        struct fault *fault);

/* Writes what the user should know of the round scored last; false: nothing. */
bool scoring_notice(struct scoring *scoring, const struct round *round, struct fault *line);

/* Does the learner give each document an index, by which explore chooses what to show on top? */
bool scoring_has_index(const struct scoring *scoring);

/* Does it say what it is worth to have each document judged? Then scoring_worth, after
 * scoring_round for the same round: learner.h's. */
bool scoring_has_worth(const struct scoring *scoring);
int scoring_worth(struct scoring *scoring, const struct matrix *x, double *s, double *worth,
                  uint64_t *judged, struct fault *fault);

#endif
