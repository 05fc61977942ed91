/* The perceptrons of Chaudhuri & Tewari's perceptron paper, Algorithms 2 and 3, with a Gaussian
 * kernel, as its section 9 proposes. A step of Algorithm 3 keeps a pair of documents. With a cutoff
 * c a step is one of Algorithm 2 for NDCG@c: it keeps the list of documents that its subgradient
 * moves, at most 2c. When the budget is used up a pair or list drawn at random leaves: the
 * randomized budget perceptron (Cavallanti, Cesa-Bianchi & Gentile 2007, "Tracking the Best
 * Hyperplane with a Simple Budget Perceptron"). */

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

/* KEPT[members][2][dim]: for each pair the better document, then the other. With a cutoff c it is
 * [members][2c][1 + dim]: for each list its documents, each after its factor in the score. Unused
 * ones are 0. */
enum { KEPT, PAIRS };

struct kept {
    const double *at;
    size_t members, each; /* rows of a member, an even number          */
    bool factors;         /* a row begins with its factor              */
    size_t dim, row;      /* features, and numbers, of a row           */
    double gamma;
};

static struct kept kept_by(const struct settings *settings, const double *at, size_t members,
                           size_t dim)
{
    bool lists = settings->set[SETTING_CUTOFF];
    return (struct kept){ .at = at, .members = members, .factors = lists, .dim = dim,
                          .each = lists ? 2 * (size_t)settings->value[SETTING_CUTOFF] : 2,
                          .row = dim + lists, .gamma = settings->value[SETTING_TRADEOFF] };
}

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

/* What row r of those kept adds to the score of row[width]. */
static double add_row(const struct kept *kept, size_t r, const double *row, size_t width)
{
    const double *at = kept->at + r * kept->row;
    double factor = kept->factors ? *at++ : r % 2 ? -1 : 1;
    return factor != 0 ? factor * gauss(row, width, at, kept->dim, kept->gamma) : 0;
}

/* *s: sum over the rows kept of their factors times k(row i of x, row), with k(x, y) =
 * exp(-gamma |x - y|^2); those of a pair have the factors 1 and -1. What a row lacks is 0. Pairs of
 * rows that are all 0 add nothing. Works in `buffer`. 0, or a fault (memory). O(rows (dim + width
 * of x)). */
static int add_kept(const struct matrix *x, size_t i, const struct kept *kept, double *s,
                    struct buffer *buffer, struct fault *fault)
{
    size_t width = matrix_width(x);
    double *room = make_room(buffer, x, width, fault);
    if (!room) return -1;
    double *row = room + width + (width + 1) / 2;
    write_row(x, i, width, room, row);
    *s = 0;
    for (size_t r = 0; r < kept->members * kept->each; r += 2)
        *s += add_row(kept, r, row, width) + add_row(kept, r + 1, row, width);
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

/* Keeps the documents of g[docs] that are not 0, those that it moves up first, in a place that is
 * free, or in one that is drawn. */
static int keep(struct state *state, const struct matrix *x, const struct feedback *feedback,
                const double *g, struct fault *fault)
{
    double *members = state->arrays.at[PAIRS], budget = state->settings.value[SETTING_MEMBERS];
    struct kept kept = kept_by(&state->settings, NULL, 0, state->dim);
    struct rng rng = rng_at((uint64_t)state->settings.value[SETTING_SEED], RNG_BUDGET,
                            state->rounds);
    state->begun = true;
    size_t place = *members < budget ? (size_t)(*members)++ : rng_below(&rng, (uint32_t)budget);
    double *at = state->arrays.at[KEPT] + place * kept.each * kept.row;
    memset(at, 0, kept.each * kept.row * sizeof *at);
    for (size_t a = 0; a < 2 * feedback->docs; a++) {
        bool worse = a >= feedback->docs;
        size_t d = worse ? a - feedback->docs : a;
        if (worse ? !(g[d] > 0) : !(g[d] < 0))
            continue;
        if (kept.factors)
            *at++ = -g[d];
        if (copy_row(x, feedback->doc[d], kept.dim, at, &state->spare, fault) < 0) return -1;
        at += kept.dim;
    }
    return 0;
}

static int learn(void *own, struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    struct feedback feedback;
    size_t m = x->docs;
    (void)own;
    double *s = buffer_for(&state->scores, m, (2 + SURROGATE_SCRATCH) * sizeof *s, fault);
    if (!s || learner_feedback(state, round, &feedback, fault) < 0) return -1;
    struct kept kept = kept_by(&state->settings, state->arrays.at[KEPT],
                               (size_t)*state->arrays.at[PAIRS], state->dim);
    for (size_t i = 0; i < x->docs; i++)
        if (add_kept(x, i, &kept, &s[i], &state->spare, fault) < 0) return -1;

    /* Kernels hide features that are not finite, which the model must not keep. */
    size_t width = matrix_width(x);
    double *row = buffer_for(&state->scratch, width, sizeof *row, fault);
    for (size_t i = 0; row && i < x->docs; i++) {
        if (copy_row(x, i, width, row, &state->spare, fault) < 0) return -1;
        for (size_t j = 0; j < width; j++)
            if (!isfinite(row[j]))
                return fault_data(fault, "feature %zu of document %zu is %g", j + 1, i, row[j]);
    }
    if (!row) return -1;

    const struct settings *settings = &state->settings;
    size_t n = feedback.docs;
    double *known = s + m, *g = known + n;
    double margin = settings->set[SETTING_MARGIN] ? settings->value[SETTING_MARGIN] : 1;
    const struct surrogate_options options = { .cutoff = learner_cutoff(state), .work = NULL };
    bool step = false;
    if (dcg_check(n, feedback.relevance, fault) < 0) return -1;
    for (size_t a = 0; a < n; a++)
        known[a] = s[feedback.doc[a]] / margin;
    enum surrogate_number loss = settings->set[SETTING_CUTOFF] ? SURROGATE_SLAM
                                                               : SURROGATE_MINIMAX;
    (void)surrogates[loss].loss(n, known, feedback.relevance, &options, g);
    for (size_t a = 0; a < n; a++)
        step = step || g[a] != 0;
    return step ? keep(state, x, &feedback, g, fault) : 0;
}

static int rank(void *own, const struct ranking *ranking, struct fault *fault)
{
    struct scored *my = own;
    const struct settings *settings = &my->settings;
    struct kept kept = kept_by(settings, my->array, (size_t)settings->value[SETTING_MEMBERS],
                               my->dim);
    const struct matrix *x = ranking->x;
    if (!settings->set[SETTING_TRADEOFF] || !settings->set[SETTING_MEMBERS] ||
        (kept.row ? my->n % kept.row || my->n / kept.row != kept.members * kept.each : my->n))
        return fault_data(fault, "model: kernel needs tradeoff=, size= and kept:f8[%s], and one "
                          "or more are missing", kept.factors ? "2*size*cutoff*(1+dim)"
                                                              : "2*size*dim");
    for (size_t i = 0; i < x->docs; i++)
        if (add_kept(x, i, &kept, &ranking->s[i], &my->work, fault) < 0)
            return -1;
    return finite_scores(x->docs, ranking->s, "one of its features is too large", fault);
}

const struct learner learn_kernel = {
    .name = "kernel", .letters = "CMNks", .least = 2, .learn = learn,
    .seen = "-k all",
    .arrays = { [KEPT] = { "kept", ARRAY_TWO_VECTORS, SETTING_MEMBERS, 0 },
                [PAIRS] = { "pairs", ARRAY_COUNT, SETTING_MEMBERS, 0 } },
    .preset = { [SETTING_TRADEOFF] = 1, [SETTING_MEMBERS] = 100, [SETTING_SEED] = 1 },
    .most = 65536, .made = "scale",
    .publish = scored_publish,
    .scoring = sizeof(struct scored), .take = scored_take, .rank = rank, .by = BY_MORE,
    .leave = scored_leave,
};
