/* learner: what update can learn with: one row of the table for each learner, and the state that
 * all of them share. What a learner keeps besides is its own: update has its learning half, and
 * score its scoring half. Nothing outside the learner's file looks into either. The learners are
 * in learners/; saving and the ring are learner_model.h; what several
 * learners do in a round is learner_step.h, and steps along a gradient are descent.h.
 *
 * A learner that scores by each feature's sum of labels, and needs nothing of its own:
 *
 *     static int learn(void *own, struct state *state, const struct matrix *x,
 *                      const struct round *round, struct fault *fault)
 *     {
 *         struct feedback seen;
 *         double *s = learner_score(state, x, fault);    // checks the features, too
 *         if (!s || learner_feedback(state, round, &seen, fault) < 0)
 *             return -1;                                  // nothing changed: good to save
 *         memset(s, 0, x->docs * sizeof *s);
 *         for (size_t h = 0; h < seen.docs; h++)
 *             s[seen.doc[h]] = seen.relevance[h];
 *         state->begun = true;                            // from here on the state changes
 *         matrix_transposed_times(x, s, state->w);
 *         return learner_check(state, fault);
 *     }
 *     const struct learner learn_sums = { .name = "sums", .letters = "", .least = 1,
 *                                         .learn = learn };
 */
#ifndef RANKPIPE_LEARNER_H
#define RANKPIPE_LEARNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/watch.h"
#include "learn/origin.h"
#include "learn/settings.h"
#include "loss/surrogate_gradients.h"
#include "math/matrix.h"
#include "model/model.h"
#include "stream/round.h"

struct array_row {
    const char *name;
    enum array_shape {
        ARRAY_COUNT,   /* [1], at first 0: a whole number up to n                         */
        ARRAY_NUMBERS, /* [n], at first 0                                                 */
        ARRAY_VECTORS, /* [n][dim], at first 0; grows with the weights by zeros           */
        ARRAY_TWO_VECTORS, /* [n][2][dim], the same; with a cutoff c [n][2c][1 + dim]     */
        ARRAY_SQUARE,  /* [dim][dim], at first the identity; grows by more of it          */
        ARRAY_UDU,     /* a matrix of covariance.h with regression_rows(dim) rows, plain where
                        * the flag n is set; at first the identity, and grows by more of it */
        ARRAY_UDU_CONSTANT, /* the same with one more row before them, of a constant feature */
        ARRAY_ROWS,         /* [rows of an ARRAY_UDU], at first 0, and grows by zeros      */
        ARRAY_ROWS_CONSTANT, /* [rows of an ARRAY_UDU_CONSTANT], the same                  */
        ARRAY_ABSENT         /* nothing: models have no such column                        */
    } shape;
    enum setting_number n; /* the setting that gives n; SETTINGS: none; n is 1, a count's 2^53 */
    size_t numbers;        /* n of an ARRAY_NUMBERS that no setting gives; 0: 1 */
    bool later;            /* older models lack it: then it is as at first      */
};
enum { ARRAYS_MOST = 6 }; /* of a learner */

struct arrays { /* all zero at first */
    struct array_row row[ARRAYS_MOST]; /* up to the first without a name        */
    double *at[ARRAYS_MOST];           /* one for each row, never NULL once grown */
    struct buffer buffer[ARRAYS_MOST];
};

/* Adds a row, before the arrays grow: returns its number. There must be room. */
size_t arrays_add(struct arrays *arrays, struct array_row row);

/* Grows `numbers` from rows x columns to an extent that is no smaller: the rows move apart, and the
 * new numbers are 0. NULL with a fault (memory). */
struct extent {
    size_t rows, columns;
};
double *arrays_grow(struct buffer *numbers, struct extent from, struct extent to,
                    struct fault *fault);

/* Grows all arrays from dim weights to width, which is no less; 0 or a fault (memory). */
int arrays_reach(struct arrays *arrays, const struct settings *settings, size_t dim, size_t width,
                 struct fault *fault);

/* Takes back the last arrays_reach: width weights become dim again, and what came is dropped. */
void arrays_shrink(struct arrays *arrays, const struct settings *settings, size_t width,
                   size_t dim);

/* Does a model of model->dim weights have all arrays? Asked before memory is allocated. 0 or a data
 * fault. */
int arrays_check(const struct arrays *arrays, const struct settings *settings,
                 const struct model *model, struct fault *fault);

/* Copies the arrays from a model that arrays_check has accepted, whose weights they have reached. 0
 * or a data fault. */
int arrays_load(struct arrays *arrays, const struct settings *settings, const struct model *model,
                struct fault *fault);

/* Adds array i of dim weights to a model or a message, which borrows it; and all of them to a
 * model, which must be finite. 0 or a fault. */
int arrays_put(const struct arrays *arrays, size_t i, const struct settings *settings, size_t dim,
               struct model *model, struct fault *fault);
int arrays_save(const struct arrays *arrays, const struct settings *settings, size_t dim,
                struct model *model, struct fault *fault);

/* Adds the numbers of array i of others that reach as far, to those of these. */
void arrays_sum(struct arrays *arrays, size_t i, const struct arrays *others,
                const struct settings *settings, size_t dim);

void arrays_close(struct arrays *arrays);

/* What update keeps from round to round. */
struct state {
    const struct learner *learner;
    struct settings settings;
    size_t most;     /* weights it may grow to */
    size_t allowed;  /* the same where the caller set it, else 0 */
    struct origin origin; /* what its features are */
    uint64_t rounds; /* learnt */
    size_t dim;
    size_t started;  /* features whose weights are at their start (learn/regressions.h)      */
    double *w;       /* w[dim]: those that score are `scale` times these, and learner_first */
    double scale;    /* 1 unless `scaled` */
    bool scaled;     /* models have w and scale as direction and scale, beside the weights */
    struct arrays arrays; /* that the learner's row lists */
    void *own;       /* the learner's own: learner->learning bytes */
    bool begun;      /* a round has begun to change it, and has not ended: not to be saved */
    const double *live; /* the weights times x of the round at hand, if known */
    struct changed_weights {
        bool known;  /* in the last round index[n] were all weights that changed, as far as w */
        size_t n;    /* reached before                                                        */
        struct buffer index; /* uint32[n]: numbers of weights, each once */
    } changed;
    const struct model *last; /* the last message, if the next one may be of its form */
    uint64_t forms;           /* of messages so far: `form` of model/model.h */
    struct buffer weights;    /* w */
    struct buffer scores, scratch, places, pairs, spare; /* to work in, within a round */
};

/* What a message of the ring holds: all that scoring needs; only what the last round changed of it;
 * or, within one process, all of it as the learner has it. */
enum publishing { PUBLISH_WHOLE, PUBLISH_CHANGES, PUBLISH_SHARED };

/* Models of shares add up by sums over answers: an open state holds these in the place of what
 * follows from them, and can neither learn nor be saved. */
enum summing { SUMS_OPEN, SUMS_CLOSE };

/* Where a scoring half takes its numbers from: a file, which stays open and is looked up in place;
 * a message of the ring, which adds to those before it and is copied; or one of this process, whose
 * numbers stay where they are until the next. */
enum taking { TAKE_FILE, TAKE_MESSAGE, TAKE_SHARED };

/* A round that is scored. */
struct ranking {
    struct round *round;
    const struct matrix *came, *x; /* its features, and those made of them, which score    */
    double *s;                     /* s[docs]: a column of the round                       */
    bool ring;                     /* the model came by the ring                           */
    bool rival;                    /* s is the column rival, and the round gets no other, except
                                    * fingerprint                                          */
    bool base;                     /* x begins with the feature of the base                */
    struct fault *line;            /* to say what the user should know; NULL: nobody reads it */
};

/* What a learner adds to Xw: see cmd/bin2txt.c. */
struct explained {
    const double *level; /* level[dim]: weights of the means; NULL: there are none            */
    double constant;
    double *answers, *remembered; /* [docs]: how many answers are remembered of each document,
                                   * and what it has of them and of those of documents like it */
};

/* What documents rank by, as far as w says, where w leaves without its learner: all of them by w;
 * those without answers by w; or by more. */
enum ranked_by { BY_WEIGHTS, BY_WEIGHTS_AT_FIRST, BY_MORE };

/* Hooks without a function are skipped. Those that return a number return 0 or a fault. */
struct learner {
    const char *name;
    const char *letters;     /* of its settings                                            */
    double (*eta)(double T); /* the step size for a horizon, for -T                        */
    size_t least;            /* places that must be seen; SURROGATE_ALL: every one         */
    const char *shown;       /* options of explore that suit it; NULL: none                */
    const char *seen;        /* those of feedback-mask, -k first: what it is made for      */
    bool items;              /* it learns a fixed list of items, without features          */
    const struct surrogate *surrogate; /* the loss it descends on, if there is one         */
    const struct descent_bets *bets; /* how it steps without a step size: descent.h        */
    const void *differs;     /* what sets it apart from the others of its file, for them   */
    struct array_row arrays[ARRAYS_MOST];
    double preset[SETTINGS]; /* values of the settings not given; 0: none                  */
    size_t most;             /* weights it may grow to by default; 0: LEARNER_MOST         */
    size_t docs;             /* documents with feedback in a round that take about 5 s, where
                              * time grows with their square; 0: any number                */
    const char *made;        /* the steps that it makes features by, where learner_make has no
                              * list; NULL: none                                           */
    bool ranked;             /* after these comes base, where the first round has that column */
    bool offset;             /* where the features end in base, w is what the weights are more
                              * than those of the start                                    */

    /* ---- update's half: `learning` bytes, at first 0 ---- */
    size_t learning;
    int (*start)(void *own, struct state *state, struct fault *fault); /* of learner_start   */
    int (*reach)(void *own, struct state *state, size_t width, struct fault *fault);

    /* May change the shapes of arrays, before these grow to `width` weights, or take over a model
     * of so many (NULL: none); and after the growth was taken back to `width`. Only memory has one;
     * it is a hook because the arrays grow here, in the middle of learner_reach. */
    int (*shape)(void *own, struct state *state, size_t width, const struct model *model,
                 struct fault *fault);

    /* Changes w, the arrays and its own by one round, whose features x reach no further than w.
     * Sets state->begun before the first change: after a fault without it, the state is good to
     * save. */
    int (*learn)(void *own, struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault);

    /* The weights that score the next round of the ring, where they are not w; good until the
     * state learns or publishes again; NULL after a fault. No function: w. */
    const double *(*weights)(void *own, struct state *state, struct fault *fault);

    /* Makes the numbers of a prior, which has as many weights as the state, those to start at. */
    int (*begin)(void *own, struct state *state, const struct model *prior, struct fault *fault);

    /* Reads the files that settings name, once the state is loaded, or begins. */
    int (*open)(void *own, struct state *state, struct watch *watch, struct fault *fault);

    /* What arrays do not hold: adds it to a model; takes it from one, after w and the arrays. */
    int (*save)(void *own, struct state *state, struct model *model, struct fault *fault);
    int (*load)(void *own, struct state *state, const struct model *model, struct fault *fault);

    /* Adds what its scoring half takes to a message. One that sets model->shared is not asked again
     * until the number of weights changes. */
    int (*publish)(void *own, struct state *state, struct model *model, enum publishing how,
                   struct fault *fault);

    /* Opens the state's sums or closes them; and, between the two, adds those of the state of
     * another share of the log, and what this one's own has besides. NULL: models do not add up. */
    int (*sums)(void *own, struct state *state, enum summing how, struct fault *fault);
    int (*add)(void *own, struct state *state, struct state *share, struct fault *fault);

    /* Forgets what it keeps of the query of a round, or of the documents that the round has. *count
     * grows by how many pairs of both these were. A hook, as `report` is, because update does not
     * know which learner remembers, nor what; so far memory alone does. */
    int (*forget)(void *own, struct state *state, const struct round *round, bool query,
                  uint64_t *count, struct fault *fault);

    /* Writes what the user should know at the end of the run; false: nothing. */
    bool (*report)(const void *own, struct fault *line);
    void (*close)(void *own);

    /* ---- score's half: `scoring` bytes, at first 0 ---- */
    size_t scoring;
    int (*take)(void *own, const struct learner *learner, const struct model *model,
                enum taking how, struct fault *fault);

    /* Turns s[docs] = Xw into what documents rank by, and adds to the round what else the learner
     * has to say of it: columns and keys. No function: Xw itself, and nothing else. */
    int (*rank)(void *own, const struct ranking *ranking, struct fault *fault);
    enum ranked_by by;

    /* Fills in what `rank` added to Xw in the round that it ranked last. No function: nothing. */
    void (*explain)(const void *own, const struct round *round, struct explained *added);
    void (*leave)(void *own); /* frees what the half holds */
};
#define LEARNER_MOST ((size_t)1 << 24)

/* The learner of a name, or NULL, in a table ended by NULL. That is handed in: it is of
 * learners/learners.h, and no room before that one needs it. */
const struct learner *learner_named(const struct learner *const *learners, const char *name);

/* The one whose model has this name; for weights that came from text, and for models of a learner
 * that left, one that scores by them and never learns, which update cannot name; or NULL. */
#define LEARNER_FIXED "fixed"
const struct learner *learner_of_model(const struct learner *const *learners, const char *name);

/* What to use in the place of a learner that left in 0.5.0; NULL: none of this name did. */
const char *learner_instead(const char *name);

/* By how much the first weight that scores is more than `scale` times w says, where a learner's
 * features are these: 1 where its weights begin with the order of a base, else 0. */
double learner_first(const struct learner *learner, const struct origin *origin);

/* A state before its first round: no weights yet; `most` weights at the most, 0: the learner's own
 * limit. Fills in defaults, and eta from the horizon. learner_close comes next, also after a fault:
 * a usage fault where the learner does not take a setting, or two exclude each other. */
int learner_start(struct state *state, const struct learner *learner,
                  const struct settings *settings, size_t most, struct fault *fault);

/* Makes the features of raw rounds by a list of steps; LEARNER_NO_STEPS: takes them as they come;
 * NULL: does as the learner's row says. Called once, after learner_start; without it features are
 * taken as they come. 0 or a usage fault. */
#define LEARNER_NO_STEPS "none"
int learner_make(struct state *state, const char *list, struct fault *fault);
void learner_close(struct state *state);

/* Grows w, the arrays and the learner's own until they reach `width` weights. 0 or a fault: too
 * many weights, or no memory. */
int learner_reach(struct state *state, size_t width, struct fault *fault);

/* Takes the last learner_reach back: there are dim weights again. */
void learner_shrink(struct state *state, size_t dim);

/* Learns from one round, to its end. A relevance above 10^6 is a fault. After a fault the state is
 * good for learner_save and learner_close alone: it is as before the round; or state->begun says
 * that the round changed a part of it, by weights that diverged or for want of memory, and
 * learner_save refuses it. */
int learner_learn(struct state *state, const struct round *round, struct fault *fault);

#endif
