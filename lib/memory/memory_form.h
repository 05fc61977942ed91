/* memory_form: the form of a memory's regression, by the number of its features: a full P up to
 * MEMORY_FULL_MOST, the sketch of math/sketch.h above. A model keeps the form that it has until it
 * grows, so models of earlier releases, with more features, go on with a full P.
 *
 * When features above MEMORY_FULL_MOST come, a full P gives way to its diagonal: the sketch begins
 * without vectors, and its D is lambda + counted. Models with a sketch have, in place of `inverse`,
 *
 *     rows      f8[slots]             the rows of its slots
 *     diagonal  f8[slots]             D of these
 *     sketch    f8[vectors * slots]   V, vector by vector */
#ifndef RANKPIPE_MEMORY_FORM_H
#define RANKPIPE_MEMORY_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "learn/learner.h"
#include "learn/learner_step.h"
#include "learn/regressions.h"
#include "math/regression.h"
#include "model/model.h"

/* Another value is for measurements: make CPPFLAGS=-DMEMORY_FULL_MOST=0 has no full P. */
#ifndef MEMORY_FULL_MOST
#define MEMORY_FULL_MOST 512
#endif

struct memory_form { /* all zero at first, except `arrays` */
    struct regression_arrays arrays; /* of the state; with the sketch if there is one */
    struct wide wide;
    bool kept;              /* a P that gave way still has its numbers */
    bool open;              /* the regression is sums                  */
    size_t full;            /* features of the last full P             */
    enum array_shape shape; /* of a full P                             */
};

/* The hooks `shape` and `sums` of struct learner. */
int memory_form_shape(struct memory_form *form, struct state *state, size_t width,
                      const struct model *model, struct fault *fault);
int memory_form_sums(struct memory_form *form, struct state *state, enum summing how,
                     struct fault *fault);

/* For the hook `add`, of a share with a form of its own: as regression_sums_add, which takes the
 * share's sketch from here. */
int memory_form_add(struct memory_form *form, struct state *state, struct memory_form *other,
                    struct state *share, struct regression_share begun, size_t except,
                    struct fault *fault);

/* Makes a regression that of the state, good until the state grows. */
void memory_form_regression(struct memory_form *form, const struct state *state,
                            struct regression *regression);

/* A round changes the regression: its last growth stays. */
void memory_form_settle(struct memory_form *form, struct state *state);

/* Adds the sketch to a model; takes it from the state's, after the arrays. Nothing with a full P. 0
 * or a fault. */
int memory_form_save(struct memory_form *form, struct model *model, struct fault *fault);
int memory_form_load(struct memory_form *form, struct state *state, const struct model *model,
                     struct fault *fault);

void memory_form_close(struct memory_form *form);

#endif
