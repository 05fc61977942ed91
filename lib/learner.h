/* learner: what update can learn with. One family of rules a file (learn_*.c), all of them in the
 * one table (learners.c); here is what they share. */
#ifndef RANKPIPE_LEARNER_H
#define RANKPIPE_LEARNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"
#include "model.h"
#include "policy.h"
#include "round.h"
#include "space.h"

/* What a learner can be told, each by the option with that letter. */
enum setting_number { SETTING_ETA, SETTING_HORIZON, SETTING_RADIUS, SETTING_EPSILON, SETTINGS };

struct setting {
    char letter;
    const char *key;  /* in the model file; NULL: not kept, only another is made of it */
    const char *what; /* for messages */
};
extern const struct setting settings_known[SETTINGS];

struct settings {
    bool set[SETTINGS];
    double value[SETTINGS];
};

/* What update keeps from round to round. */
struct state {
    const struct learner *learner;
    struct settings settings;
    size_t most;     /* weights it may grow to */
    uint64_t rounds; /* learnt */
    size_t dim;
    double *w;       /* w[dim] */
    struct space weights, next, gradient, scores, scratch, places;
};

struct learner {
    const char *name;
    const char *letters;   /* of its settings */
    double (*eta)(double T); /* from the horizon, for -T                            */
    size_t least;          /* places that must be seen, SURROGATE_ALL: every one      */
    /* One round: either all of the step, or a fault and the state as it was, but that w may
     * have grown by zeros. */
    int (*learn)(struct state *state, const struct round *round, struct fault *fault);
};

/* The table, ended by a NULL name, and the learner of a name, or NULL. */
extern const struct learner *const learners[];
const struct learner *learner_find(const char *name);

/* A state before its first round: w = 0 in no dimension. Settings that the learner does not take,
 * or that are missing, are a usage fault; defaults and eta from the horizon are filled in. */
int learner_start(struct state *state, const struct learner *learner,
                  const struct settings *settings, size_t most, struct fault *fault);
void learner_close(struct state *state);

/* A state as a model, and back. Loading a model of another learner or of other settings is a
 * fault that tells both. The model borrows the state's arrays. */
int learner_save(const struct state *state, struct model *model, struct fault *fault);
int learner_load(struct state *state, const struct model *model, struct fault *fault);

/* What scoring needs, as a model: the weights. */
int learner_publish(const struct state *state, struct model *model, struct fault *fault);

/* For the families: */

/* Grows w by zeros until it reaches `width` weights. */
int learner_reach(struct state *state, size_t width, struct fault *fault);

/* What the round says about its documents, for a learner that needs `least` places of a longer
 * list. Labels that were never masked are all seen. A fault tells what is missing and who puts it
 * there. Good until the next call. */
int learner_listen(struct state *state, const struct round *round, struct shown *shown,
                   struct fault *fault);

/* w <- w - eta z, then into the ball of the radius where there is one. A weight that would not be
 * finite is a fault, and w as it was. */
int learner_descend(struct state *state, const double *z, struct fault *fault);

#endif
