/* game: synthetic rounds, of the data sets and games of the papers, from (seed, round) only. */
#ifndef RANKPIPE_GAME_H
#define RANKPIPE_GAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "math/rng.h"
#include "stream/round.h"

/* The settings of games, each with its option. */
enum game_number {
    GAME_GRADE,     /* the top grade: labels are 0 to it                */
    GAME_MARGIN,    /* least distance of different grades along u       */
    GAME_SHARE,     /* the expected share of relevant documents         */
    GAME_DEVIATION, /* a standard deviation: of what, depends on the game */
    GAME_DIM,
    GAME_DOCS,
    GAME_NUMBERS
};

struct game_option {
    char letter;
    const char *what; /* for messages */
    bool whole;       /* only whole numbers */
    double least, most;
};
extern const struct game_option game_options[GAME_NUMBERS];

/* Most features of all documents of a round together, and of one document of each grade. */
#define GAME_FEATURES ((size_t)1 << 26)

struct game_settings {
    bool set[GAME_NUMBERS];
    double value[GAME_NUMBERS];
};

/* A law of the labels of a fixed list: labels[i] with probability weight[i] / whole. */
enum { LAW_OUTCOMES = 6 };
struct law {
    size_t items, outcomes;
    uint32_t whole, weight[LAW_OUTCOMES];
    const char *labels[LAW_OUTCOMES]; /* "110": one digit for each item */
};

/* A game that was started. All arrays are its own. */
struct game {
    const struct game_rules *rules;
    uint64_t seed;
    double value[GAME_NUMBERS]; /* settings, with the defaults filled in                      */
    size_t docs, dim;           /* dim 0: a fixed list of items                               */
    unsigned top;               /* the top grade                                              */
    double *u;                  /* u[dim]: the hidden ranker, of length 1; NULL where dim is 0 */
    unsigned char *truth;       /* noisy-binary: truth[docs]: is the item relevant?           */
    double *mean;               /* separable: mean[top+1][dim], of each grade's documents     */
    double step;                /* separable: from the centre of a grade to the next one's    */
    double *cut;                /* linear, rare: cut[top]: grade r is from cut[r-1] to cut[r] */
    float *x;                   /* x[docs*dim]: features of the current round                 */
    double *z;                  /* z[dim]: scratch                                            */
    struct buffer buffer_u, buffer_truth, buffer_mean, buffer_cut, buffer_x, buffer_z;
};

struct game_rules {
    const char *name;
    const char *letters;         /* the options of the settings it takes         */
    double usual[GAME_NUMBERS];  /* their defaults                               */
    const struct law *law;       /* of the hopeless games; else NULL             */
    int (*start)(struct game *game, struct normals *normals, struct fault *fault); /* NULL: none */
    void (*draw)(struct game *game, struct normals *normals, float *label);
};

/* The table of games, ended by a NULL name; and the game of that name, or NULL. */
extern const struct game_rules games[];
const struct game_rules *game_find(const char *name);

/* Starts a game in a struct that is all zero. Settings are within the limits of game_options. A
 * usage fault for a setting that the game does not take, or too many features. 0 or a fault. */
int game_start(struct game *game, const struct game_rules *rules,
               const struct game_settings *settings, uint64_t seed, struct fault *fault);

/* Makes round t, drawn from (seed, t) only: labels, the qid t, and dense features where the game
 * has features. These stay the game's, and are valid until its next round. 0 or a fault. */
int game_round(struct game *game, uint64_t t, struct round *round, struct fault *fault);

void game_close(struct game *game);

#endif
