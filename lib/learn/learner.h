/* learner: what update can learn with: one row of the table for each learner, and the state that
 * it keeps from round to round. A family of learners is a file (learn_*.c); the table is
 * learners.c; a round is learner_round.h; saving and the ring are learner_model.h; steps that
 * families share learner_step.h. */
#ifndef RANKPIPE_LEARNER_H
#define RANKPIPE_LEARNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "explore/feedback.h"
#include "io/wait.h"
#include "learn/memory_table.h"
#include "learn/memory_view.h"
#include "learn/origin.h"
#include "learn/settings.h"
#include "loss/surrogate.h"
#include "math/ball.h"
#include "math/bets.h"
#include "math/matrix.h"
#include "math/regression.h"
#include "stream/round.h"

/* An array that a learner keeps beside w, in the model file under this name. */
struct state_array {
    const char *name;
    enum array_shape {
        ARRAY_COUNT,   /* [1], at first 0: a whole number up to n                         */
        ARRAY_NUMBERS, /* [n], at first 0                                                 */
        ARRAY_VECTORS, /* [n][dim], at first 0; grows with w by zeros                     */
        ARRAY_TWO_VECTORS, /* [n][2][dim], the same                                       */
        ARRAY_SQUARE,  /* [dim][dim], at first the identity; grows with w by more of it   */
        ARRAY_BETS_EACH, /* [4][dim], at first 0: L, V, W of math/bets.h, and theta     */
        ARRAY_UDU,     /* a matrix of math/udu.h with regression_rows(dim) rows, plain where
                        * the flag n is set; at first the identity, and grows by more of it */
        ARRAY_UDU_CONSTANT /* the same with a row before them, unless rho is given and 0 */
    } shape;
    enum setting_number n; /* the setting that gives n; SETTINGS: none; n is 1, a count's 2^53 */
    size_t numbers;        /* n of an ARRAY_NUMBERS that no setting gives; 0: 1 */
};
enum { ARRAYS_MOST = 5, ARRAYS_KEPT = ARRAYS_MOST + 1 }; /* of a learner; with its bets */

/* A copy of what a round may change of a state. */
struct undo {
    bool kept;            /* there is one                                          */
    bool whole;           /* of all weights; else of those of the round's features */
    size_t dim;           /* weights before the round                              */
    double scale;         /* of the ball, before it                                */
    struct buffer copied; /* double[]: the weights, then each array                */
};

/* What update keeps from round to round. */
struct state {
    const struct learner *learner;
    struct settings settings;
    size_t most;     /* weights it may grow to */
    size_t allowed;  /* the same where the caller set it, else 0 */
    struct origin origin; /* what its features are */
    uint64_t rounds; /* learnt */
    size_t dim;
    double *w;                   /* w[dim]: ball.scale times these are the weights that score;
                                  * the scale is 1 unless learner_scaled                  */
    struct ball ball;
    bool adaptive;               /* no step size was given: the learner's bets do without */
    double capital;              /* of adaptive steps: see math/bets.h                      */
    double *extra;               /* the array after the learner's own: bets, or residuals  */
    struct norm length, slope;   /* of w and of the gradient, where one bet is on the length */
    const double *live;          /* the weights times x of the round at hand, if known    */
    bool changes_known;          /* in the last round changed[n_changed] were all of the  */
    size_t n_changed;            /* weights that changed, as far as w reached before      */
    double *arrays[ARRAYS_KEPT]; /* as learner_array describes; none of them NULL         */
    struct regression regression; /* its buffer, for learners that use it */
    struct memory_table memory;   /* pairs of query and document, for the learner memory */
    const uint64_t *changed_keys; /* changed_keys[changed_pairs]: entries that the last round */
    size_t changed_pairs;         /* changed                                                  */
    const struct memory_entry *changed_before; /* changed_before[changed_pairs]: as they were */
    uint64_t resumed;             /* rounds that were learnt before this run */
    const struct model *shared;   /* the last message, if it was a plain one of this process */
    struct buffer drawn;          /* double[dim]: weights drawn for the next round */
    struct buffer weights, gradient; /* gradient[dim] is 0 between steps */
    struct buffer changed;           /* uint32[n_changed]: numbers of weights, each once */
    struct buffer keys, saved; /* of the memory: a round's keys; columns for a model */
    struct buffer scores, scratch, places, pairs, spare, array_buffers[ARRAYS_KEPT];
    struct long_work work; /* of a round that can be undone: `learn` counts its steps, and stops */
    struct undo undo;
    bool begun;   /* the round has begun to change w or the arrays                      */
    bool spoiled; /* the last round failed half-way and was not undone: not to be saved */
};

/* What a scorer has beside the weights: the numbers of the learner's first array, and the
 * settings. */
struct ring_extras {
    size_t dim, n;          /* weights, numbers                          */
    const double *array;    /* array[n], borrowed; NULL: it is in numbers */
    struct buffer *numbers; /* double[n], which may be made to hold more */
    const struct settings *settings;
    struct buffer *buffer;  /* to work in                                */
    struct memory_view *memory; /* of the learner memory                 */
};

/* What a message of the ring holds: all that scoring needs; only what the last round changed of it;
 * or, within one process, all of it as the learner has it. */
enum publishing { PUBLISH_WHOLE, PUBLISH_CHANGES, PUBLISH_SHARED };

struct learner {
    const char *name;
    const char *letters;     /* of its settings                                            */
    double (*eta)(double T); /* the step size for a horizon, for -T                        */
    size_t least;            /* places that must be seen; SURROGATE_ALL: every one         */
    const struct surrogate *surrogate; /* the loss it descends on, if there is one         */

    /* Changes w and the arrays by one round, whose features x reach no further than w. After a
     * fault learner_learn undoes what was changed. Long loops count their steps in state->work. */
    int (*learn)(struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault);
    struct state_array arrays[ARRAYS_MOST]; /* up to the first without a name              */
    double preset[SETTINGS]; /* values of the settings not given; 0: none                  */
    size_t most;             /* weights it may grow to by default; 0: LEARNER_MOST         */
    const char *made;        /* the steps that it makes features by, where learner_make has no
                              * list; NULL: none                                           */

    /* The weights that score the next round of the ring, where they are not w; good until the
     * state learns or publishes again; NULL after a fault. No function: w. */
    const double *(*weights)(struct state *state, struct fault *fault);

    /* Turns s[docs] = Xw into what documents rank by, and gives index[docs] where the learner has
     * an index. No function: Xw itself. */
    int (*rank)(const struct matrix *x, const struct round *round,
                const struct ring_extras *extras, double *s, double *index, struct fault *fault);
    bool has_index;

    /* rival[docs]: what a rival ranks by in the ring's round t, where s[docs] = Xw. */
    int (*rival)(const struct matrix *x, const struct ring_extras *extras, uint64_t t,
                 const double *s, double *rival, struct fault *fault);
    bool ring_only; /* `rank` is for the ring alone: a model in a file ranks by Xw */

    /* Without a step size: what is bet on, the capital (which is multiplied by epsilon where that
     * is a setting: a unit of the scores), and whether scores are taken about their mean. */
    enum learner_bets { BETS_NONE, BETS_LENGTH, BETS_EACH } bets;
    double capital;
    bool centred;
    bool measures; /* where no width is given, the residuals make one (residuals.h) */

    /* For what arrays cannot hold; NULL: nothing. Add it to a model of the state, and take it back
     * from one whose arrays are loaded; add what scoring needs to a message of the ring; take that
     * from a model or a message, which outlives the extras if it is not of the ring; and undo what
     * the round changed of it. */
    int (*save)(struct state *state, struct model *model, struct fault *fault);
    int (*load)(struct state *state, const struct model *model, struct fault *fault);
    int (*publish)(struct state *state, struct model *model, enum publishing how,
                   struct fault *fault);
    int (*take)(const struct ring_extras *extras, struct settings *settings,
                const struct model *model, bool ring, struct fault *fault);
    void (*undo)(struct state *state);
};
#define LEARNER_MOST ((size_t)1 << 24)

/* The table, ended by NULL; the one that is best on most data without settings; and the learner of
 * a name, or NULL. */
extern const struct learner *const learners[], *const learner_usual;
const struct learner *learner_find(const char *name);

/* The learner whose model has this name; for weights that came from text, one that scores by them
 * and never learns, which update cannot name; or NULL. */
#define LEARNER_FIXED "fixed"
const struct learner *learner_of_model(const char *name);

/* A state before its first round: no weights yet; `most` weights at the most, 0: the learner's own
 * limit. Fills in defaults, and eta from the horizon; without either the steps are adaptive. A
 * usage fault: a setting that the learner does not take, or two that exclude each other. */
int learner_start(struct state *state, const struct learner *learner,
                  const struct settings *settings, size_t most, struct fault *fault);

/* Makes the features of raw rounds by a list of steps; LEARNER_NO_STEPS: takes them as they come;
 * NULL: does as the learner's row says. Called once, after learner_start; without it features are
 * taken as they come. 0 or a usage fault. */
#define LEARNER_NO_STEPS "none"
int learner_make(struct state *state, const char *list, struct fault *fault);
void learner_close(struct state *state);

/* Grows w and the arrays until they reach `width` weights. */
int learner_reach(struct state *state, size_t width, struct fault *fault);

/* Does the state measure residuals, as no width was given? They are the array after the learner's
 * own. */
bool learner_measures(const struct state *state);

/* Array number i that the state keeps: the learner's own, and then those of adaptive steps; NULL
 * after the last. */
const struct state_array *learner_array(const struct state *state, size_t i);

/* Are the weights ball.scale times w? */
bool learner_scaled(const struct state *state);

/* Rows and columns of an array in a model of dim weights. */
struct extent {
    size_t rows, columns;
};
struct extent learner_extent(const struct state *state, const struct state_array *array,
                             size_t dim);

#endif
