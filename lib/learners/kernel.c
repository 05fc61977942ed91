/* The perceptron of Chaudhuri & Tewari's perceptron paper, Algorithm 3, with a Gaussian kernel, as
 * its section 9 proposes. Each step keeps a pair of documents; when the budget is used up a pair
 * drawn at random leaves: the randomized budget perceptron (Cavallanti, Cesa-Bianchi & Gentile
 * 2007, "Tracking the Best Hyperplane with a Simple Budget Perceptron"). */

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "explore/feedback.h"
#include "learn/learner_step.h"
#include "loss/dcg.h"
#include "loss/surrogate_gradients.h"
#include "math/matrix.h"
#include "math/real.h"
#include "math/rng.h"

/* KEPT[members][2][dim]: for each pair the better document, then the other. Unused ones are 0. */
enum { KEPT, PAIRS };

/* ---- the kernel ---- */

/* Room for a row of x as matrix_row writes it, and as a dense row of n numbers before it. */
static double *make_room(struct buffer *buffer, const struct matrix *x, size_t n,
                         struct fault *fault)
{
    size_t width = matrix_width(x);
    return buffer_for(buffer, (n > width ? n : width) + 1, 2 * sizeof(double) + sizeof(uint32_t),
                      fault);
}

static void write_row(const struct matrix *x, size_t i, size_t n, double *room, double *row)
{
    struct row values = matrix_row(x, i, room, (uint32_t *)(room + n));
    memset(row, 0, n * sizeof *row);
    for (size_t e = 0; e < values.n; e++)
        row[values.idx ? values.idx[e] : e] = values.val[e];
}

static double gauss(const double *x, size_t width, const double *y, size_t dim, double gamma)
{
    double square = 0;
    size_t both = width < dim ? width : dim;
    for (size_t j = 0; j < both; j++)
        square += (x[j] - y[j]) * (x[j] - y[j]);
    for (size_t j = both; j < width; j++)
        square += x[j] * x[j];
    for (size_t j = both; j < dim; j++)
        square += y[j] * y[j];
    return real_exp(-gamma * square);
}

/* *s: sum over p of k(row i of x, kept[2p]) - k(row i of x, kept[2p + 1]), with k(x, y) =
 * exp(-gamma |x - y|^2), of kept[2 pairs][dim]. What a row lacks is 0. Pairs of rows that are all 0
 * add nothing. Works in `buffer`. 0, or a fault (memory). O(pairs (dim + width of x)). */
static int add_pairs(const struct matrix *x, size_t i, const double *kept, size_t pairs, size_t dim,
                     double gamma, double *s, struct buffer *buffer, struct fault *fault)
{
    size_t width = matrix_width(x);
    double *room = make_room(buffer, x, width, fault);
    if (!room) return -1;
    double *row = room + width + (width + 1) / 2;
    write_row(x, i, width, room, row);
    *s = 0;
    for (size_t p = 0; p < pairs; p++)
        *s += gauss(row, width, kept + 2 * p * dim, dim, gamma) -
              gauss(row, width, kept + (2 * p + 1) * dim, dim, gamma);
    return 0;
}

/* row[dim]: row i of x, which reaches no further than dim. `buffer` as above. 0 or a fault. */
static int copy_row(const struct matrix *x, size_t i, size_t dim, double *row,
                    struct buffer *buffer, struct fault *fault)
{
    double *room = make_room(buffer, x, dim, fault);
    if (!room) return -1;
    write_row(x, i, dim, room, row);
    return 0;
}

/* ---- learning ---- */

/* Kernels hide features that are not finite, which the model must not keep. */
static int check_features(const struct matrix *x, struct state *state, struct fault *fault)
{
    size_t width = matrix_width(x);
    double *row = buffer_for(&state->scratch, width, sizeof *row, fault);
    for (size_t i = 0; row && i < x->docs; i++) {
        if (copy_row(x, i, width, row, &state->spare, fault) < 0) return -1;
        for (size_t j = 0; j < width; j++)
            if (!isfinite(row[j]))
                return fault_data(fault, "feature %zu of document %zu is %g", j + 1, i, row[j]);
    }
    return row ? 0 : -1;
}

/* Keeps the pair in a place that is free, or in one that is drawn. */
static int keep(struct state *state, const struct matrix *x, size_t better, size_t worse,
                struct fault *fault)
{
    double *pairs = state->arrays.at[PAIRS], budget = state->settings.value[SETTING_MEMBERS];
    struct rng rng = rng_at((uint64_t)state->settings.value[SETTING_SEED], RNG_BUDGET,
                            state->rounds);
    state->begun = true;
    size_t place = *pairs < budget ? (size_t)(*pairs)++ : rng_below(&rng, (uint32_t)budget);
    double *at = state->arrays.at[KEPT] + 2 * place * state->dim;
    if (copy_row(x, better, state->dim, at, &state->spare, fault) < 0 ||
        copy_row(x, worse, state->dim, at + state->dim, &state->spare, fault) < 0)
        return -1;
    return 0;
}

/* The worst pair of what was seen, if the ranking by s[docs] is not right. */
static int learn_seen(struct state *state, const struct matrix *x, const struct feedback *feedback,
                      const double *s, double *scratch, struct fault *fault)
{
    size_t n = feedback->docs, better = n, worse = n;
    double *known = scratch, *g = scratch + n;
    const struct surrogate_options options = { .work = NULL };
    if (dcg_check(n, feedback->relevance, fault) < 0) return -1;
    for (size_t a = 0; a < n; a++)
        known[a] = s[feedback->doc[a]];
    (void)surrogates[SURROGATE_MINIMAX].loss(n, known, feedback->relevance, &options, g);
    for (size_t a = 0; a < n; a++) {
        better = g[a] < 0 ? a : better;
        worse = g[a] > 0 ? a : worse;
    }
    return better < n ? keep(state, x, feedback->doc[better], feedback->doc[worse], fault) : 0;
}

/* s[docs]: the scores of the documents. */
static int score(struct state *state, const struct matrix *x, double *s, struct fault *fault)
{
    const double *kept = state->arrays.at[KEPT], gamma = state->settings.value[SETTING_TRADEOFF];
    size_t pairs = (size_t)*state->arrays.at[PAIRS];
    for (size_t i = 0; i < x->docs; i++)
        if (add_pairs(x, i, kept, pairs, state->dim, gamma, &s[i], &state->spare, fault) < 0)
            return -1;
    return 0;
}

static int learn(void *own, struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    struct feedback feedback;
    size_t m = x->docs;
    (void)own;
    double *s = buffer_for(&state->scores, m, (2 + SURROGATE_SCRATCH) * sizeof *s, fault);
    if (!s || learner_feedback(state, round, &feedback, fault) < 0 ||
        score(state, x, s, fault) < 0 || check_features(x, state, fault) < 0)
        return -1;
    return learn_seen(state, x, &feedback, s, s + m, fault);
}

static int rank(void *own, const struct ranking *ranking, struct fault *fault)
{
    struct scored *my = own;
    const struct settings *settings = &my->settings;
    size_t pairs = (size_t)settings->value[SETTING_MEMBERS];
    const struct matrix *x = ranking->x;
    if (!settings->set[SETTING_TRADEOFF] || !settings->set[SETTING_MEMBERS] ||
        my->n != 2 * pairs * my->dim)
        return fault_data(fault, "model: kernel needs tradeoff=, size= and kept:f8[2*size*dim], "
                          "and one or more are missing");
    for (size_t i = 0; i < x->docs; i++)
        if (add_pairs(x, i, my->array, pairs, my->dim, settings->value[SETTING_TRADEOFF],
                      &ranking->s[i], &my->work, fault) < 0)
            return -1;
    return finite_scores(x->docs, ranking->s, "one of its features is too large", fault);
}

const struct learner learn_kernel = {
    .name = "kernel", .letters = "CNs", .least = 2, .learn = learn,
    .seen = "-k all",
    .arrays = { [KEPT] = { "kept", ARRAY_TWO_VECTORS, SETTING_MEMBERS, 0 },
                [PAIRS] = { "pairs", ARRAY_COUNT, SETTING_MEMBERS, 0 } },
    .preset = { [SETTING_TRADEOFF] = 1, [SETTING_MEMBERS] = 100, [SETTING_SEED] = 1 },
    .most = 65536, .made = "scale",
    .publish = scored_publish,
    .scoring = sizeof(struct scored), .take = scored_take, .rank = rank, .by = BY_MORE,
    .leave = scored_leave,
};
