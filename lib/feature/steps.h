/* steps: a list of steps that make new features, read from words and written as words:
 * "log,scale". The words, and the constants whose checksum they name
 * ("log,standard:5c7a1f0e99d3b246"), determine what the steps make of a round. */
#ifndef RANKPIPE_STEPS_H
#define RANKPIPE_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "feature/constants.h"
#include "feature/rows.h"
#include "math/matrix.h"
#include "stream/round.h"

enum { STEPS_MOST = 8 };
#define STEPS_SEPARATOR ","

struct base_rank { /* of the step base; all zero at first */
    struct buffer discount; /* double[known]: D(1), D(2) ... */
    size_t known;
    struct buffer feature;  /* float[docs]: of the round at hand */
};

struct feature_step {
    const struct step_kind *kind;
    const char *path;          /* of standard and range: of the file of constants, in the list
                                * that was parsed; NULL: words name a checksum             */
    size_t path_bytes;
    struct base_rank base_rank;
};

struct steps { /* all zero at first: no steps */
    size_t number;
    struct feature_step step[STEPS_MOST];
    char words[ROUND_MADE + 1]; /* complete, with all parameters: what reads back as the same */
    struct constants constants; /* of the one step that has some */
    struct rows in, out[2]; /* what the steps in turn make lies in `out` */
};

/* The name of step i, from 0, or NULL after the last. */
const char *steps_name(size_t i);

/* The name of the first step in the words of made= that no version after 0.4.0 has, or NULL. */
const char *steps_gone(const char *words);

/* Does one of the steps look at the whole list of documents, so that a document that leaves it
 * changes the features of the others? */
bool steps_see_list(const struct steps *steps);

/* Reads the steps of a list, which a user gave and which stays the caller's, until steps_open;
 * those of a key made=. 0, or a usage fault that quotes the word at fault. */
int steps_parse(struct steps *steps, const char *list, struct fault *fault);
int steps_parse_made(struct steps *steps, const char *made, struct fault *fault);

/* Reads the file of constants that the list names, if it names one: then the words are complete. 0,
 * or a fault of the file. */
int steps_open(struct steps *steps, struct watch *watch, struct fault *fault);

/* Gives them the constants of a model, which are copied. 0, or a data fault: they are not those of
 * the checksum that the words name. */
int steps_give(struct steps *steps, const struct constants *constants, struct fault *fault);

/* Do the words name constants that have not come? */
bool steps_lack(const struct steps *steps);

/* 0, or a data fault: the constants are not of the features that reach their step, where features
 * made by `made` (NULL: raw ones) reach the first. */
int steps_follow(const struct steps *steps, const char *made, struct fault *fault);

/* Points *y at the features that the steps make of x, one step after the other; good until the next
 * call. x is not MATRIX_UNIT, and not a result of these steps. base[docs]: the engine's order of
 * the documents, which the step base needs; NULL: not known. Each result is rounded once to float.
 * 0, or a fault: no base, too many features, or one that is not finite. */
int steps_apply(struct steps *steps, const struct matrix *x, const uint32_t *base,
                struct matrix *y, struct fault *fault);

/* Is base the last step of words as made= has them? Then feature 1 is that of the base, and feature
 * j + 1 is feature j of what the steps before it make. */
#define STEPS_BASE "base"
bool steps_end_in_base(const char *words);

void steps_close(struct steps *steps);

#endif
