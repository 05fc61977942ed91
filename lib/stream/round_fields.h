/* round_fields: a round in memory: struct round, with one field for each key and column, and the
 * numbers by which the rows of round_format.h know them. Programs include stream/round.h. */
#ifndef RANKPIPE_ROUND_FIELDS_H
#define RANKPIPE_ROUND_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "math/compact.h"
#include "math/matrix.h"
#include "stream/record.h"

#define ROUND_DOCS ((uint64_t)UINT32_MAX) /* most documents of a round */
#define ROUND_DIM ((uint64_t)1 << 31)     /* most features: every idx is below it */
#define ROUND_QID 255                     /* most bytes of a qid */
#define ROUND_REQUEST 255                 /* most bytes of request= */
#define ROUND_CLIENT 64                   /* most bytes of client= */
#define ROUND_MADE 255                    /* most bytes of made= */
#define ROUND_NAMED 16                    /* bytes of named= */
#define ROUND_BASED 8                     /* bytes of based= */
#define ROUND_HELD_MOST 3                 /* largest value of held */

/* Most documents of a round whose payload is shorter than one byte a document. So the memory that
 * a reader takes is bounded by the bytes that came, not by a number in a header. */
#define ROUND_BARE ((uint64_t)1 << 16)

enum round_key { /* in the order in which a header line has them */
    KEY_T, KEY_QID, KEY_REQUEST, KEY_TIME, KEY_CLIENT, KEY_CLICKS, KEY_DOCS, KEY_DIM, KEY_MADE,
    KEY_NAMED, KEY_BASED, KEY_JUDGED, KEY_RATES, KEY_GAMMA, KEY_TOP, KEY_SWAP, KEY_SLOT,
    KEY_SUBSET, KEY_BLOCK, KEY_GROUP, KEY_SEED, ROUND_KEYS
};

enum round_column { /* those of the features last */
    ROUND_LABEL, ROUND_NAME_COLUMN, ROUND_FINGERPRINT, ROUND_BASE, ROUND_SCORE, ROUND_RIVAL,
    ROUND_INDEX, ROUND_WORTH, ROUND_HELD, ROUND_ORDER, ROUND_GREEDY, ROUND_LOGIT, ROUND_TEAM,
    ROUND_SEEN, ROUND_PROPENSITY, ROUND_X, ROUND_PTR, ROUND_IDX, ROUND_VAL, ROUND_OFFSET,
    ROUND_STEP, ROUND_NUMBER, ROUND_COLUMNS
};

/* Features read from their compact form, which is done at most once for each round. */
struct round_expansion {
    bool done; /* x holds those of this round */
    struct matrix x;
    struct compact_memory memory;
};

/* The pointers to columns are NULL where the round has no such column. Otherwise they point to
 * aligned copies that the round owns, valid until its next round_columns_read or round_start.
 * There are no copies of features, except of compact ones: they stay in the payload. */
struct round {
    struct record *record; /* the caller's; must outlive the round */
    uint64_t t;
    const char *qid; /* as in the header, with %XX; NULL: none */
    const char *request; /* the client's name of the request, written as a qid; NULL: none */
    bool timed;    /* has time= */
    uint64_t time; /* when the request came, in milliseconds since 1970 (UTC) */
    const char *client; /* who gave the feedback, written as a qid; NULL: not known */
    uint64_t clicks; /* clicks=: `seen` has clicks, where it is above 0, not relevance; 0: no such
                      * key */
    size_t docs, dim;
    const char *made;  /* the steps that made the features of raw ones; NULL: they are raw */
    const char *based; /* checksum of the model that ordered base; NULL: the engine did */
    const char *named; /* checksum of the names of the features; NULL: they have none */
    bool explored; /* has gamma= */
    double gamma;
    uint64_t top, swap;     /* how many first places gamma is about; 0: no such key */
    uint64_t slot;          /* the place that gamma is about; 0: no such key        */
    uint64_t subset;        /* how many first places show a drawn set; 0: no such key */
    bool in_block, grouped; /* has block=; has group=, so this round explores that group */
    uint64_t block, group;
    uint64_t judged; /* judged=: places that users judge, as the model knows; 0: no such key */
    uint64_t rates;  /* rates=: scores are rates of clicks, by the model; 0: no such key     */
    bool seeded;   /* has seed=, by which the order was drawn */
    uint64_t seed;
    float *label;
    uint64_t *fingerprint;    /* hashes of the raw features (math/fingerprint.h) */
    uint32_t *base;           /* a permutation: the engine's order, best first */
    double *score;
    double *rival;            /* the scores of the other ranking of an interleaved round */
    double *index;            /* how much showing a document first promises, by the learner */
    double *worth;            /* what it is worth that a document is judged, in units of score */
    unsigned char *held;      /* 0: users have said enough of the document; else explore -B keeps it
                               * near its place in base */
    uint32_t *order, *greedy; /* permutations of the documents, best first */
    double *logit;            /* the order was drawn by softmax of these */
    unsigned char *team;      /* team[a]: 1 if the rival chose order[a], else 0 */
    float *seen;              /* the relevance of order[0..places-1] */
    double *propensity;       /* of the same places, as a log says; above 0, at most 1 */
    size_t places;
    bool restored;   /* keys and places of columns are read already, by round_store_round */
    bool live;       /* `score` was computed by the current weights of the update in this process */
    bool checked;    /* x holds the features, already checked */
    struct matrix x;
    const char *prepared; /* steps by which a program of this process has made prepared_x of the
                           * features: both are its own, until the next round; NULL: none has */
    struct matrix prepared_x;
    struct round_expansion own, *expansion; /* = &own: memory, also where the round is const */

    /* The record's columns; at the end the last one whose name is not known. */
    const struct column *column[ROUND_COLUMNS + 1];
    struct round_gamma { /* the value printed last and the one read last: most rounds repeat it */
        double value;
        char text[32];
    } printed, parsed;
    struct buffer buffer[ROUND_COLUMNS], scratch; /* memory of the copies */
};

#endif
