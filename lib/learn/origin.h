/* origin: the features that a model is for: what made them of raw ones, and how many they are.
 * Compares rounds with it, and makes the features of raw rounds. */
#ifndef RANKPIPE_ORIGIN_H
#define RANKPIPE_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "feature/feature_names.h"
#include "feature/steps.h"
#include "math/matrix.h"
#include "model/model.h"
#include "stream/round.h"

struct origin { /* all zero at first: not known */
    bool known;
    char words[ROUND_MADE + 1]; /* as made= has them; "": raw */
    bool applies; /* makes the features of raw rounds: else all rounds carry `words` */
    bool asked;   /* -x asked for the steps: a round without features is a fault */
    bool yields;  /* the steps are a default: a model or a first round may name others */
    bool ranked;  /* where they yield, a first round with the column base adds the step base */
    bool parsed;
    bool ready;   /* parsed, and no constant is missing */
    struct steps steps;
    char based[ROUND_BASED + 1]; /* with a base: based= of the first round; "": it had none */
    bool ordered;                /* that is known */
    bool noted;                  /* it was said that a round has another base */
    const char *names_path;     /* of a user's file of names of features; NULL: none */
    struct feature_names names; /* of raw features                                   */

    /* How many features the dense rounds had that were learnt from, without that of a base at the
     * end of the steps. A sparse round need not reach the last feature, and says only that there
     * are as many as it has. */
    enum origin_width { WIDTH_UNKNOWN, WIDTH_SAME, WIDTH_VARIES } kind;
    size_t width; /* of WIDTH_SAME; 0: fixed lists of items */
    size_t most;  /* raw features that a round may have, in any number; 0: they must be the same */
    bool checks;  /* a loaded model had WIDTH_SAME, and `due` features */
    size_t due;
};

/* Makes features of raw rounds by these steps from now on. `asked` as above. 0 or a usage fault.
 * origin_open, before all that follows, reads the file of constants that the list names, and that
 * of names_path. */
int origin_apply(struct origin *origin, const char *list, bool asked, struct fault *fault);
int origin_open(struct origin *origin, struct watch *watch, struct fault *fault);

/* Is base the last of its steps? Then weight 1 is that of the base, weight j + 1 of feature j. */
static inline bool origin_has_base(const struct origin *origin)
{
    return origin->known && steps_end_in_base(origin->words);
}

/* How many features z has as they came: without that of the base. */
size_t origin_width(const struct origin *origin, const struct matrix *z);

/* Returns the name of a feature, counted from 0 and without that of a base; or NULL if it has none,
 * or if the steps make it of several features. */
const char *origin_feature_name(struct origin *origin, size_t feature);

/* Take over what a model says of its features. Without the key made= they are raw.
 * - origin_load is for a model that will learn more. If it learnt from other features than the
 *   steps that this run asks for, that is a fault. Steps that are a default give way to the
 *   model's.
 * - origin_take is for scoring. If the model does not say what its features are, `unknown` leaves
 *   that open.
 * Return 0 or a data fault. */
int origin_load(struct origin *origin, const struct model *model, struct fault *fault);
int origin_take(struct origin *origin, const struct model *model, bool unknown,
                struct fault *fault);

/* Adds the key made= to a message, with the constants unless it only changes what one before it
 * had, and yields= where the first round may still name other steps; made=, constants and
 * features= to a model. Leaves out what is not known. */
int origin_publish(const struct origin *origin, struct model *model, bool changes,
                   struct fault *fault);
int origin_save(const struct origin *origin, struct model *model, struct fault *fault);

/* Points *z at the features of a round that the model is for:
 * - x itself, if the round's made= is the model's;
 * - what the steps make of raw x, valid until the next call;
 * - what they have made of it in this process already (round_fields.h).
 * What is not known yet, the first round says. Returns 0, or a data fault: it names both made=, or
 * says that x has more than `most` features. */
int origin_make(struct origin *origin, const struct round *round, const struct matrix *x,
                  struct matrix *z, struct fault *fault);

/* Returns a data fault if a loaded model learnt from dense rounds that all had one number of
 * features, and z has more, or is dense and has fewer; else 0. With `allowed` above 0, rounds of up
 * to so many features may have any number. */
int origin_check_width(const struct origin *origin, const struct matrix *z, size_t allowed,
                       struct fault *fault);

/* With a base, once: was the base of a round ordered by something else than that of the first
 * round? */
bool origin_base_differs(struct origin *origin, const struct round *round);

/* Counts a round that was learnt from; `dim` is the number of weights since. */
void origin_count(struct origin *origin, const struct matrix *z, size_t dim);

/* Both models that these are of, with `dim` and `dims` weights, become one: 0, or a data fault
 * where their features are not the same. */
int origin_join(struct origin *origin, size_t dim, const struct origin *other, size_t dims,
                struct fault *fault);

void origin_close(struct origin *origin);

#endif
