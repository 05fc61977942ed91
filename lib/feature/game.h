/* game: made-up rounds: the data sets and games of the papers, drawn from (seed, round) alone. */
#ifndef RANKPIPE_GAME_H
#define RANKPIPE_GAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "math/normal.h"
#include "stream/round.h"

/* What a game can be told, each by the option with that letter. */
enum game_number {
    GAME_GRADE,     /* the top grade: labels are 0 to it                */
    GAME_MARGIN,    /* least distance of different grades along u       */
    GAME_DEVIATION, /* a standard deviation: what of, the game says     */
    GAME_DIM,
    GAME_DOCS,
    GAME_OTHER,     /* 1: by the other of the game's two laws           */
    GAME_NUMBERS
};

struct game_option {
    char letter;
    const char *what; /* for messages */
    bool whole;       /* whole numbers alone */
    double least, most;
};
extern const struct game_option game_options[GAME_NUMBERS];

/* Most features of a round, over all of its documents, and of one document for each grade. */
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
    const char *labels[LAW_OUTCOMES]; /* "110": 0 or 1 an item */
};

/* A game under way. */
struct game {
    const struct game_rules *rules;
    uint64_t seed;
    double value[GAME_NUMBERS]; /* settings, with the defaults filled in                      */
    size_t docs, dim;           /* dim 0: a fixed list of items                               */
    unsigned top;               /* the top grade                                              */
    double *u;                  /* u[dim]: the hidden ranker, of length 1; NULL where dim is 0 */
    unsigned char *truth;       /* truth[docs]: is the item relevant? NULL but for noisy-binary */
    const struct law *law;      /* NULL but for the hopeless games                            */
    double *mean;               /* separable: mean[top+1][dim], of each grade's documents     */
    double step;                /* separable: from the centre of a grade to the next one's    */
    double *cut;                /* linear: cut[top]: grade r is from cut[r-1] to cut[r]       */
    float *x;                   /* x[docs*dim]: features of the round at hand                 */
    double *z;                  /* z[dim]: scratch                                            */
    struct buffer space_u, space_truth, space_mean, space_cut, space_x, space_z;
};

struct game_rules {
    const char *name;
    const char *letters;         /* of the settings it takes                     */
    double usual[GAME_NUMBERS];  /* their defaults                               */
    const struct law *law;       /* two of them, for GAME_OTHER; NULL: none      */
    int (*start)(struct game *game, struct normals *normals, struct fault *fault); /* NULL: none */
    void (*draw)(struct game *game, struct normals *normals, float *label);
};

/* The table, ended by a NULL name, and the game of a name, or NULL. */
extern const struct game_rules games[];
const struct game_rules *game_find(const char *name);

/* A game before its first round, in a struct that is all zero. Numbers are as game_options allows;
 * one that the game does not take, or too many features, is a usage fault. */
int game_start(struct game *game, const struct game_rules *rules,
               const struct game_settings *settings, uint64_t seed, struct fault *fault);

/* Round t, by (seed, t) alone: labels, a qid, which is t, and for games with features dense ones,
 * which are the game's and good until its next round. 0, or a fault. */
int game_round(struct game *game, uint64_t t, struct round *round, struct fault *fault);

void game_close(struct game *game);

#endif
