/* origin: the features that a model is for: what made them of raw ones, and how many they are.
 * Compares rounds with it, and makes the features of raw rounds. */
#ifndef RANKPIPE_ORIGIN_H
#define RANKPIPE_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "feature/steps.h"
#include "math/matrix.h"
#include "stream/model.h"
#include "stream/round.h"

struct origin { /* all zero at first: not known */
    bool known;
    char words[ROUND_MADE + 1]; /* as made= has them; "": raw */
    bool applies; /* makes the features of raw rounds: else all rounds carry `words` */
    bool asked;   /* -x asked for the steps: a round without features is a fault */
    bool parsed;
    struct steps steps;

    bool any, same; /* was there a round; had all of them the same number of features, `width`? */
    size_t width;   /* 0: fixed lists of items */
    bool checks;    /* all rounds that a loaded model learnt from had `due` features */
    size_t due;
};

/* Makes features of raw rounds by these steps from now on. `asked` as above. 0 or a usage fault. */
int origin_apply(struct origin *origin, const char *list, bool asked, struct fault *fault);

/* Takes over what a model says. Without the key made= its features are raw. origin_load is for a
 * model that is to learn more: one that learnt from other features than those that the steps of
 * this run make is a fault. origin_take is for scoring: where the model does not say what its features
 * are, `unknown` leaves that open. 0 or a data fault. */
int origin_load(struct origin *origin, const struct model *model, struct fault *fault);
int origin_take(struct origin *origin, const struct model *model, bool unknown,
                struct fault *fault);

/* Adds the key made= to a message; made= and features= to a model. What is not known is left out. */
int origin_publish(const struct origin *origin, struct model *model, struct fault *fault);
int origin_save(const struct origin *origin, struct model *model, struct fault *fault);

/* Points *z at the features of a round that the model is for: x itself where the round's made= is
 * the model's, or what the steps make of raw x, good until the next call. The first round says what
 * is not known. 0, or a data fault that names both. */
int origin_features(struct origin *origin, const struct round *round, const struct matrix *x,
                  struct matrix *z, struct fault *fault);

/* 0, or a data fault where z is not of the features that a loaded model learnt from: all of its
 * rounds had the same number of features, and z has more, or is dense and has fewer. A sparse round
 * may have fewer, since it need not reach the last one. `allowed`: a round of up to so many
 * features may have any number; 0: none may. */
int origin_check_width(const struct origin *origin, const struct matrix *z, size_t allowed,
                     struct fault *fault);

/* Counts a round that was learnt from. */
void origin_count(struct origin *origin, const struct matrix *z);

void origin_close(struct origin *origin);

#endif
