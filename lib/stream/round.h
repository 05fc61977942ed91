/* round: what a round's keys and columns mean, checked (rankpipe(5)). */
#ifndef RANKPIPE_ROUND_H
#define RANKPIPE_ROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "math/matrix.h"
#include "stream/record.h"

#define ROUND_DOCS ((uint64_t)UINT32_MAX) /* most documents of a round       */
#define ROUND_DIM ((uint64_t)1 << 31)     /* most features: idx is below it  */
#define ROUND_QID 255                     /* most bytes of a qid             */
#define ROUND_BARE ((uint64_t)1 << 16)    /* most documents without a byte each: memory is to grow
                                           * with what came, not with a number in a header */

enum round_column {
    ROUND_LABEL, ROUND_SCORE, ROUND_RIVAL, ROUND_ORDER, /* the round has copies of these */
    ROUND_GREEDY, ROUND_LOGIT, ROUND_TEAM, ROUND_SEEN,
    ROUND_X, ROUND_PTR, ROUND_IDX, ROUND_VAL,                         /* features                */
    ROUND_COLUMNS
};

/* Columns are NULL where the round has none. Those that are there are aligned copies that the
 * round owns, good until its next round_read or round_start; features stay where they came. */
struct round {
    struct record *record; /* lent by the caller, for as long as the round is used */
    uint64_t t;
    const char *qid; /* as in the header, %XX and all; NULL: none */
    size_t docs, dim;
    bool explored; /* has gamma */
    double gamma;
    uint64_t top, swap; /* how many first places gamma is about; 0: does not say */
    bool in_block, grouped; /* has block; has group, and so explores a part of a fixed list */
    uint64_t block, group;
    float *label;
    double *score;
    double *rival; /* what another ranking is by */
    bool live; /* score is w.x by the very weights that update has, in this process */
    uint32_t *order, *greedy; /* permutations of the documents, best first */
    double *logit;            /* what the order was drawn by */
    unsigned char *team;      /* team[a]: 1 if the rival chose order[a], else 0 */
    bool checked;             /* x holds the features: whoever looks next need not check them */
    struct matrix x;
    float *seen;              /* the relevance of order[0..places-1] */
    size_t places;

    /* The record's, from round_header to round_columns; at the end one that is not known. */
    const struct column *column[ROUND_COLUMNS + 1];
    struct round_gamma { /* as printed last, as read last: it is the same in most rounds */
        double value;
        char text[32];
    } printed, parsed;
    struct round_buffers { /* what the columns lie in; of no interest to users */
        struct buffer label, score, rival, order, greedy, logit, team, seen, scratch;
    } buffer;
};

/* Before first use: an empty round over `record`. */
void round_open(struct round *round, struct record *record);
void round_close(struct round *round);

/* Reads what round->record says in its header line, for which its payload need not be there: keys
 * known and in order, known columns, features too, of the right type and length. 0, or a fault
 * without a place. */
int round_header(struct round *round, struct fault *fault);

/* Behind round_header, the record being bound to its payload, reads the columns: labels finite and
 * not negative, scores and logits finite, orders permutations. Features are not looked at. */
int round_columns(struct round *round, struct fault *fault);

/* The one and then the other. */
int round_read(struct round *round, struct fault *fault);

/* The features, checked: sizes that agree, ptr that rises to nnz, idx that rise below dim. */
int round_features(const struct round *round, struct matrix *x, struct fault *fault);

/* Bytes of a record's features, where all columns behind the first of them are such too; else 0. */
size_t round_feature_bytes(const struct record *record);

/* A new round in round->record, without columns; qid NULL: none. */
int round_start(struct round *round, uint64_t t, const char *qid, size_t docs, size_t dim,
                struct fault *fault);

/* Keys and columns for a round that goes on. Each round_new_... returns the round's own array,
 * to be filled in by the caller, or NULL: all of docs, but for seen of `places`. A new score takes
 * away the rival of an old one. */
int round_set_t(struct round *round, uint64_t t, struct fault *fault);
int round_set_gamma(struct round *round, double gamma, struct fault *fault);
int round_set_top(struct round *round, uint64_t top, struct fault *fault);
int round_set_swap(struct round *round, uint64_t swap, struct fault *fault);
int round_set_block(struct round *round, uint64_t block, struct fault *fault);
int round_set_group(struct round *round, uint64_t group, struct fault *fault);
void round_forget_choice(struct round *round); /* the order, how it came, keys from gamma on */
float *round_new_label(struct round *round, struct fault *fault);
double *round_new_score(struct round *round, struct fault *fault);
double *round_new_rival(struct round *round, struct fault *fault);
uint32_t *round_new_order(struct round *round, struct fault *fault);
uint32_t *round_new_greedy(struct round *round, struct fault *fault);
double *round_new_logit(struct round *round, struct fault *fault);
unsigned char *round_new_team(struct round *round, struct fault *fault);
float *round_new_seen(struct round *round, size_t places, struct fault *fault);

/* The features of a matrix, which stay the caller's, in the place of those there were, and last of
 * the columns; the key dim with them. It has the round's documents. 0 or a fault. */
int round_new_features(struct round *round, const struct matrix *x, struct fault *fault);

void round_drop_labels(struct round *round); /* label and every label-something */

/* "round 17" or "round 17 (qid 10032)" into `name`. Returns `name`. */
enum { ROUND_NAME = 300 };
char *round_name(const struct round *round, char name[ROUND_NAME]);

#endif
