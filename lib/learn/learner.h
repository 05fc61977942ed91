/* learner: what update can learn with. One family of rules a file (learn_*.c), all of them in the
 * one table (learners.c); here is what they share. */
#ifndef RANKPIPE_LEARNER_H
#define RANKPIPE_LEARNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "explore/feedback.h"
#include "learn/settings.h"
#include "math/ball.h"
#include "math/matrix.h"
#include "math/regression.h"
#include "stream/model.h"
#include "stream/round.h"

/* An array that a learner keeps beside w, in the model file by this name. */
struct state_array {
    const char *name;
    enum array_shape {
        ARRAY_COUNT,   /* [1], at first 0: a whole number up to n                         */
        ARRAY_NUMBERS, /* [n], at first 0                                                 */
        ARRAY_VECTORS, /* [n][dim], at first 0; growing with w by zeros                   */
        ARRAY_SQUARE,  /* [dim][dim], at first the identity; growing with w by more of it */
        ARRAY_UDU   /* a udu.h of the regression_rows of dim, plain where the flag n is
                       * set; at first the identity, and growing by more of it            */
    } shape;
    enum setting_number n; /* the setting that says n; SETTINGS: none does: 1, a count 2^53 */
};
enum { ARRAYS_MOST = 5 };

/* What update keeps from round to round. */
struct state {
    const struct learner *learner;
    struct settings settings;
    size_t most;     /* weights it may grow to */
    uint64_t rounds; /* learnt */
    size_t dim;
    double *w;               /* w[dim]: ball.scale times these are the weights that score;
                              * without a radius the scale is 1                       */
    struct ball ball;
    const double *live;      /* the weights times x of the round at hand, if known    */
    bool changes_known;                /* in the last round changed[n_changed] were all of w    */
    size_t n_changed;        /* that changed, as far as it reached before             */
    double *arrays[ARRAYS_MOST]; /* as learner->kept says; none of them NULL              */
    struct regression regression; /* its space, of those who use it */
    struct buffer drawn;           /* double[dim]: weights drawn for the next round */
    struct buffer weights, gradient; /* gradient[dim] is 0 between learner_step's steps */
    struct buffer changed; /* uint32[n_changed]: numbers of weights, each once */
    struct buffer scores, scratch, places, pairs, spare, array_buffers[ARRAYS_MOST];
};

/* What goes to whoever scores beside the weights: the numbers of kept[0], and the settings. */
struct ring_extras {
    size_t dim, n;         /* weights, numbers                          */
    struct buffer *numbers; /* double[n], which may be made to hold more */
    const struct settings *settings;
    struct buffer *buffer;   /* to work in                                */
};

struct learner {
    const char *name;
    const char *letters;     /* of its settings                                            */
    double (*eta)(double T); /* from the horizon, for -T                                   */
    size_t least;            /* places that must be seen, SURROGATE_ALL: every one         */
    /* Changes w and what is kept by one round, whose features are x and reach no further than w.
     * After a fault the state is good for nothing but learner_close. */
    int (*learn)(struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault);
    struct state_array arrays[ARRAYS_MOST]; /* up to the first without a name */
    double preset[SETTINGS];     /* values of the settings not given; 0: none              */
    size_t most;                 /* weights it may grow to unless told; 0: LEARNER_MOST    */
    /* The weights that score the next round of the ring, where they are not w, good until the
     * state learns or publishes again; NULL for a fault. None: w. */
    const double *(*weights)(struct state *state, struct fault *fault);
    /* What documents rank by, into s[docs], which holds w.x; none: w.x itself. */
    int (*rank)(const struct matrix *x, const struct ring_extras *extras, double *s,
                struct fault *fault);
    /* What a rival ranks by in the ring's round t, into rival[docs], where it would be s[docs]. */
    int (*rival)(const struct matrix *x, const struct ring_extras *extras, uint64_t t,
                 const double *s, double *rival, struct fault *fault);
    bool ring_only; /* is `rank` for the ring alone? A model in a file ranks by w.x then */
};
#define LEARNER_MOST ((size_t)1 << 24)

/* The table, ended by a NULL name, and the learner of a name, or NULL. */
extern const struct learner *const learners[];
const struct learner *learner_find(const char *name);

/* Whose model has this name: a learner; or, of weights that came from elsewhere, one that scores by
 * them and never learns, which update cannot name; or NULL. */
#define LEARNER_FIXED "fixed"
const struct learner *learner_of_model(const char *name);

/* A state before its first round: w = 0 in no dimension; `most` weights at the most, 0: as the
 * learner has it. Settings that the learner does not take, or that are missing, are a usage fault;
 * defaults and eta from the horizon are filled in. */
int learner_start(struct state *state, const struct learner *learner,
                  const struct settings *settings, size_t most, struct fault *fault);
void learner_close(struct state *state);

/* A state as a model, and back. Loading a model of another learner or of other settings is a
 * fault that tells both. The model borrows the state's arrays, until the state learns again. */
int learner_save(struct state *state, struct model *model, struct fault *fault);
int learner_load(struct state *state, const struct model *model, struct fault *fault);

/* What scoring needs, as a message of the ring: weights, and numbers where the learner ranks by
 * more. Or only what the last round changed of it, where that is known and shorter. Borrowed as
 * above. */
int learner_publish(struct state *state, struct model *model, struct fault *fault);
int learner_publish_changes(struct state *state, struct model *model, struct fault *fault);

/* Learns from one round. After a fault the state is good for nothing but learner_close. */
int learner_learn(struct state *state, const struct round *round, struct fault *fault);

/* For the families: */

/* eta from the horizon where nothing is estimated: T^(-1/2) (Chaudhuri & Tewari 2016, section
 * 6). */
double learner_eta_known(double T);

/* And where it is: T^(-2/3), as the estimate's variance grows with 1/gamma (Chaudhuri & Tewari
 * 2016, Theorem 4.1). */
double learner_eta_estimated(double T);

/* The state's regression, of the weights w[dim] and what is kept as `level` and `inverse`, with its
 * settings lambda and plain; good until the state grows. */
struct regression *learner_regression(struct state *state, double *w, size_t level,
                                      size_t inverse);

/* Grows w and what is kept until they reach `width` weights. */
int learner_reach(struct state *state, size_t width, struct fault *fault);

/* What the round says, to a learner that takes it for all there is; in state->places. */
int learner_hear(struct state *state, const struct round *round, struct feedback *feedback,
                 struct fault *fault);

/* The weights times x in s[docs], finite: a feature that is no finite number is a fault. Good until
 * the next call; NULL for a fault. */
double *learner_score(struct state *state, const struct matrix *x, struct fault *fault);

/* w <- w - eta X'g, and then into the ball of the radius where there is one. A weight that would
 * not be finite is a fault. With sparse features it costs what it touches. */
int learner_step(struct state *state, const struct matrix *x, const double *g,
                 struct fault *fault);

/* w <- w + eta u, u[width], width being no more than w has; and then the same. */
int learner_move(struct state *state, const double *u, size_t width, struct fault *fault);

/* Are all weights finite? 0, or a fault that says which is not. For who changes w otherwise. */
int learner_check(const struct state *state, struct fault *fault);

#endif
