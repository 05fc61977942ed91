/* rounds: made in memory, as update gets them, for the C programs that test learners. */
#ifndef RANKPIPE_ROUNDS_H
#define RANKPIPE_ROUNDS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn/learner_model.h"
#include "learn/learner_step.h"
#include "learners/learners.h"
#include "loss/pairs.h"
#include "math/rng.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { DOCS = 8, DIM = 40 };

struct query {
    size_t docs, dim; /* dim 0: a fixed list */
    float x[DOCS][DIM], label[DOCS];
};

/* A round over a query, and what its columns lie in. */
struct made {
    struct record record;
    struct round round;
    float x[DOCS * DIM], val[DOCS * DIM], label[DOCS], seen[DOCS];
    uint32_t ptr[DOCS + 1], idx[DOCS * DIM], order[DOCS];
    double logit[DOCS], score[DOCS], rival[DOCS];
    unsigned char team[DOCS];
};

static unsigned long wrong;

/* Tells what should hold and does not. */
static inline void hold(bool right, const char *who, const char *what, long double got,
                        long double want)
{
    if (!right && wrong++ < 20)
        fprintf(stderr, "%s: %s: %.20Lg, not %.20Lg\n", who, what, got, want);
}

/* What cannot fail here, except by a bug. */
static inline void must(int done, const struct fault *fault)
{
    if (done < 0) {
        fprintf(stderr, "%s\n", fault->text);
        exit(1);
    }
}

/* ---- drawing ---- */

/* Halves from -1 to 1, whose sums and products are exact, and of which many are 0. */
static inline float draw_half(struct rng *rng)
{
    return (float)rng_below(rng, 5) / 2 - 1;
}

static inline float draw_unit(struct rng *rng)
{
    return (float)(2 * rng_unit(rng) - 1);
}

/* In every other query some document is there twice. */
static inline void draw_features(struct rng *rng, struct query *query, size_t docs, size_t dim,
                                 float (*draw)(struct rng *rng))
{
    query->docs = docs;
    query->dim = dim;
    uint32_t zeros = rng_below(rng, 4);
    for (size_t i = 0; i < docs; i++)
        for (size_t j = 0; j < dim; j++)
            query->x[i][j] = rng_below(rng, 4) < zeros ? 0 : draw(rng);
    if (draw == draw_half && rng_below(rng, 2))
        memcpy(query->x[rng_below(rng, (uint32_t)docs)], query->x[0], sizeof *query->x);
}

/* Grades from 0 to `top`; now and then all the same. */
static inline void draw_labels(struct rng *rng, struct query *query, uint32_t top)
{
    bool tied = rng_below(rng, 12) == 0;
    for (size_t i = 0; i < query->docs; i++)
        query->label[i] = i && tied ? query->label[0] : (float)rng_below(rng, top + 1);
}

/* Some documents of a query, in the order given. */
static inline void take_documents(const struct query *from, const uint32_t *doc, size_t n,
                                  struct query *query)
{
    query->docs = n;
    query->dim = from->dim;
    for (size_t a = 0; a < n; a++) {
        memcpy(query->x[a], from->x[doc[a]], sizeof *query->x);
        query->label[a] = from->label[doc[a]];
    }
}

/* ---- pairs ---- */

static inline struct feedback all_of(const struct query *query, uint32_t *doc, double *relevance)
{
    for (size_t i = 0; i < query->docs; i++) {
        doc[i] = (uint32_t)(2 * i + 3); /* as if others lay between that were not seen */
        relevance[i] = query->label[i];
    }
    return (struct feedback){ query->docs, doc, relevance };
}

/* The pairs of a query, in an order drawn from rng or, where it is NULL, by document. */
static inline size_t get_pairs(const struct query *query, struct rng *rng, struct pair *pairs)
{
    uint32_t doc[DOCS];
    double relevance[DOCS];
    size_t n = 0;
    struct pairs got;
    struct pair pair;
    struct buffer buffer = { NULL, 0 };
    struct fault fault = { FAULT_NONE, "" };
    struct feedback feedback = all_of(query, doc, relevance);
    must(pairs_start(&got, &feedback, rng, &buffer, &fault), &fault);
    while (pairs_next(&got, &pair))
        pairs[n++] = (struct pair){ (pair.better - 3) / 2, (pair.worse - 3) / 2 };
    buffer_free(&buffer);
    return n;
}

/* ---- rounds ---- */

static inline void put(struct made *made, const char *name, enum column_type type, size_t n,
                       const void *data)
{
    struct fault fault = { FAULT_NONE, "" };
    must(record_put(&made->record, name, type, n, data, &fault), &fault);
}

/* zeros: as values that are 0, or not there. */
static inline void put_sparse(struct made *made, const struct query *query, bool zeros)
{
    uint32_t n = 0;
    made->ptr[0] = 0;
    for (size_t i = 0; i < query->docs; i++) {
        for (uint32_t j = 0; j < query->dim; j++) {
            if (query->x[i][j] == 0 && !zeros)
                continue;
            made->idx[n] = j;
            made->val[n++] = query->x[i][j];
        }
        made->ptr[i + 1] = n;
    }
    put(made, "ptr", COLUMN_U4, query->docs + 1, made->ptr);
    put(made, "idx", COLUMN_U4, n, made->idx);
    put(made, "val", COLUMN_F4, n, made->val);
}

static inline void put_dense(struct made *made, const struct query *query)
{
    for (size_t i = 0; i < query->docs; i++)
        memcpy(made->x + i * query->dim, query->x[i], query->dim * sizeof *made->x);
    put(made, "x", COLUMN_F4, query->docs * query->dim, made->x);
}

enum form { DENSE, SPARSE, SPARSE_ZEROS, FORMS };

/* Round t with every label, of one of five queries that come back. Nothing of it is to be freed. */
static inline const struct round *make_round(struct made *made, const struct query *query,
                                             uint64_t t, enum form form)
{
    static const char *const qids[] = { "a", "b", "c", "d", "e" };
    struct fault fault = { FAULT_NONE, "" };
    round_open(&made->round, &made->record);
    must(round_start(&made->round, t, qids[t % COUNT(qids)], query->docs, query->dim, &fault),
         &fault);
    memcpy(made->label, query->label, sizeof made->label);
    made->round.label = made->label;
    if (query->dim && form == DENSE)
        put_dense(made, query);
    else if (query->dim)
        put_sparse(made, query, form == SPARSE_ZEROS);
    return &made->round;
}

/* What feedback-mask makes of it: the first k of the order are seen. */
static inline const struct round *mask_round(struct made *made, const uint32_t *order, size_t k)
{
    struct round *round = &made->round;
    memcpy(made->order, order, round->docs * sizeof *order);
    for (size_t a = 0; a < k; a++)
        made->seen[a] = made->label[order[a]];
    round->label = NULL;
    round->order = made->order;
    round->seen = made->seen;
    round->places = k;
    return round;
}

/* Takes a column of numbers out of the round into numbers[docs]. */
static inline void take_column(struct made *made, enum round_column column, const double *data,
                               double *numbers)
{
    memcpy(numbers, data, made->round.docs * sizeof *numbers);
    round_drop(&made->round, column);
    buffer_free(&made->round.buffer[column]);
}

/* What a learner that has rivals makes of scores that are all 0. */
static inline void set_rival(struct made *made, const struct state *state)
{
    struct matrix x;
    struct fault fault = { FAULT_NONE, "" };
    struct scored scored = { .settings = state->settings, .dim = state->dim };
    must(round_matrix(&made->round, &x, &fault), &fault);
    memset(made->score, 0, sizeof made->score);
    const struct ranking ranking = { .round = &made->round, .x = &x, .s = made->score,
                                     .ring = true };
    must(state->learner->rank(&scored, &ranking, &fault), &fault);
    take_column(made, ROUND_RIVAL, made->round.rival, made->rival);
    scored_leave(&scored);
    made->round.score = made->score;
    made->round.rival = made->rival;
}

/* And of clicks, where a label above `least` has one: after logits that fall by a half with the
 * documents' numbers, or after two teams that take turns. */
static inline const struct round *click_round(struct made *made, const struct state *state,
                                              const uint32_t *order, size_t k, float least)
{
    struct round *round = &made->round;
    mask_round(made, order, k);
    for (size_t a = 0; a < k; a++)
        made->seen[a] = made->seen[a] > least;
    for (size_t i = 0; i < round->docs; i++) {
        made->logit[i] = -0.5 * (double)i;
        made->team[i] = i % 2;
    }
    round->logit = made->logit;
    round->team = made->team;
    if (strcmp(state->learner->name, "dbgd") == 0)
        set_rival(made, state);
    return round;
}

/* ---- learners ---- */

/* A learner before its first round; `settings` NULL: its own. */
static inline void start(struct state *state, const char *name, const struct settings *settings)
{
    static const struct settings none;
    struct fault fault = { FAULT_NONE, "" };
    memset(state, 0, sizeof *state);
    must(learner_start(state, learner_find(name), settings ? settings : &none, 0, &fault), &fault);
}

static inline void learn_round(struct state *state, const struct round *round)
{
    struct fault fault = { FAULT_NONE, "" };
    must(learner_learn(state, round, &fault), &fault);
}

/* So many weights, which the caller fills in. */
static inline double *reach(struct state *state, size_t width)
{
    struct fault fault = { FAULT_NONE, "" };
    must(learner_reach(state, width, &fault), &fault);
    return state->w;
}

static inline void set(struct settings *settings, enum setting_number i, double value)
{
    settings->set[i] = true;
    settings->value[i] = value;
}

/* The bytes of a column, which is in memory or made now. */
static inline void take_values(const struct column *column, void *to)
{
    if (column_bytes(column) && column->source)
        column->source->next(column->source, to, (size_t)column->count);
    else if (column_bytes(column))
        memcpy(to, column->data, column_bytes(column));
}

static inline bool same_values(const struct column *a, const struct column *b)
{
    size_t bytes = column_bytes(a);
    char *values = malloc(2 * bytes + 1);
    if (!values || column_bytes(b) != bytes) {
        free(values);
        return false;
    }
    take_values(a, values);
    take_values(b, values + bytes);
    bool same = memcmp(values, values + bytes, bytes) == 0;
    free(values);
    return same;
}

/* Have two of one learner learnt the same, to the last bit, in whatever many rounds? */
static inline bool same_learnt(struct state *a, struct state *b)
{
    static struct model one, other;
    struct fault fault = { FAULT_NONE, "" };
    must(learner_save(a, &one, &fault), &fault);
    must(learner_save(b, &other, &fault), &fault);
    bool same = one.record.columns == other.record.columns;
    for (size_t c = 0; same && c < one.record.columns; c++)
        same = same_values(&one.record.column[c], &other.record.column[c]);
    return same;
}

#endif
