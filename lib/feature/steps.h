/* steps: a list of steps that make new features, read from words and written as words:
 * "scale,fourier:150:0.02:1". The words, and the constants whose checksum they name
 * ("log,standard:5c7a1f0e99d3b246"), determine what the steps make of a round. */
#ifndef RANKPIPE_STEPS_H
#define RANKPIPE_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "feature/base_rank.h"
#include "feature/constants.h"
#include "feature/rows.h"
#include "math/matrix.h"
#include "stream/round.h"

/* Adds random Fourier features (Rahimi and Recht 2007, algorithm 1) before the features.
 * The inner product of those of two documents approximates the kernel exp(-gamma |x - y|^2). */

/* Most frequencies in memory: new features times different features. Those of one query must fit;
 * those of queries before stay as long as there is room. */
#define FOURIER_MOST ((uint64_t)1 << 25)

struct fourier { /* all zero before fourier_start */
    size_t number;       /* D, of new features                                               */
    uint64_t seed;
    double scale;        /* of a frequency: turns for each unit of a feature, per deviation  */
    size_t known;        /* different features whose frequencies are in memory                */
    size_t slots;        /* of a hash table of them: a power of 2, at least twice `known`, or 0 */
    uint64_t factor;     /* of its hashes: random, so that nobody can make features collide */
    struct buffer slot;
    struct buffer omega;  /* double[known][number]: in turns                                  */
    struct buffer shift;  /* double[number]: in turns, from 0 to 1                            */
    struct buffer turns;  /* double[number]: scratch                                          */
};

/* 0, or a fault where there is no memory. number is at least 1, gamma above 0. */
int fourier_start(struct fourier *fourier, size_t number, double gamma, uint64_t seed,
                  struct fault *fault);

/* Writes into `out` the features of `in`, which has *dim of them: at i below D the new ones,
 * sqrt(2/D) cos(omega_i.x + b_i), with omega_ij drawn from N(0, 2 gamma) and b_i uniform in a turn;
 * and at D + j feature j. omega_ij depends only on (seed, i, j), and b_i only on (seed, i). Sums
 * begin with b_i and go by features in their order. *dim grows by D. 0; or a fault where there
 * would be too many features or frequencies. */
int fourier_rows(struct fourier *fourier, const struct rows *in, size_t *dim, struct rows *out,
                 struct fault *fault);

void fourier_close(struct fourier *fourier);

enum { STEPS_MOST = 8 };
#define STEPS_SEPARATOR ","

/* What fourier takes where its word has no parameters. */
struct step_defaults {
    uint64_t number, seed;
    double gamma;
};
extern const struct step_defaults steps_usual;
enum { STEPS_NUMBER_MOST = 1 << 20 }; /* of `number`, which is at least 1 */

struct feature_step {
    const struct step_kind *kind;
    struct step_defaults draw; /* of fourier */
    const char *path;          /* of standard and range: of the file of constants, in the list
                                * that was parsed; NULL: words name a checksum             */
    size_t path_bytes;
    struct split {
        struct buffer used, mean; /* uint32[n]: the features of any document, rising; double[n] */
    } split;
    struct fourier fourier;
    struct base_rank base_rank;
};

struct steps { /* all zero at first: no steps */
    size_t number;
    struct feature_step step[STEPS_MOST];
    char words[ROUND_MADE + 1]; /* complete, with all parameters: what reads back as the same */
    bool defaulted;             /* a word lacked parameters, so `defaults` counted */
    struct constants constants; /* of the one step that has some */
    bool started;
    struct rows in, out[2]; /* what the steps in turn make lies in `out` */
};

/* The name of step i, from 0, or NULL after the last. */
const char *steps_name(size_t i);

/* Does one of the steps look at the whole list of documents, so that a document that leaves it
 * changes the features of the others? */
bool steps_see_list(const struct steps *steps);

/* Is feature j of their result made of feature j alone, so that its name stays? */
bool steps_keep_features(const struct steps *steps);

/* Reads the steps of a list, which a user gave and which stays the caller's, until steps_open;
 * those of a key made=. 0, or a usage fault that quotes the word at fault. */
int steps_parse(struct steps *steps, const char *list, const struct step_defaults *defaults,
                struct fault *fault);
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
 * Memory: see struct fourier. 0, or a fault: no base, too many features, or one that is not
 * finite. */
int steps_apply(struct steps *steps, const struct matrix *x, const uint32_t *base,
                struct matrix *y, struct fault *fault);

/* Is base the last step of words as made= has them? Then feature 1 is that of the base, and feature
 * j + 1 is feature j of what the steps before it make. */
#define STEPS_BASE "base"
bool steps_end_in_base(const char *words);

void steps_close(struct steps *steps);

#endif
