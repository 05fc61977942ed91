/* Learners that take pairs one by one: x = X_i - X_j, where R_i > R_j, should score above 0. */

#include <math.h>
#include <string.h>

#include "kernels/dense.h"
#include "learn/learner_step.h"
#include "loss/pairs.h"

enum { FOUR = 4 }; /* rows of Sigma at a time */

/* What sets the learners apart: what they do with one pair. */
struct way {
    int (*take)(struct state *state, const struct row *x, struct fault *fault);
};

static int learn(void *own, struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    const struct way *way = state->learner->differs;
    struct feedback feedback;
    struct pairs pairs;
    struct pair pair;
    const struct settings *settings = &state->settings;
    struct rng rng = rng_at((uint64_t)settings->value[SETTING_SEED], RNG_PAIRS, round->t);
    size_t width = matrix_width(x);
    (void)own;
    if (learner_feedback(state, round, &feedback, fault) < 0 || !learner_score(state, x, fault) ||
        pairs_start(&pairs, &feedback, settings->set[SETTING_IN_ORDER] ? NULL : &rng, &state->pairs,
                    fault) < 0)
        return -1;
    double *val = buffer_for(&state->scratch, width, sizeof(double) + sizeof(uint32_t), fault);
    if (!val) return -1;
    state->begun = true;
    while (pairs_next(&pairs, &pair)) {
        struct row row = matrix_difference(x, pair.better, pair.worse, val,
                                           (uint32_t *)(val + width));
        if (way->take(state, &row, fault) < 0) return -1;
    }
    return learner_check(state, fault);
}

/* SOLAR-I: the nearest w with margin 1, slack weighted by C (Wang et al. 2015, Proposition 1). */
static int solar1(struct state *state, const struct row *x, struct fault *fault)
{
    double missing = 1 - matrix_row_times(x, state->w);
    double slack = 1 / (2 * state->settings.value[SETTING_TRADEOFF]);
    (void)fault;
    if (missing > 0)
        matrix_row_add(x, missing / (matrix_row_square(x) + slack), state->w);
    return 0;
}

/* y += a x for four rows x, one after the other, bit for bit, with y read and written once. */
static void add_four(const double a[FOUR], const double *const x[FOUR],
                             double *restrict y, size_t dim)
{
    const double *p = x[0], *q = x[1], *r = x[2], *s = x[3];
    for (size_t j = 0; j < dim; j++)
        y[j] = y[j] + a[0] * p[j] + a[1] * q[j] + a[2] * r[j] + a[3] * s[j];
}

/* v = Sigma x, by rows of Sigma, which is symmetric. Rows where x is 0 are skipped. */
static void spread(const double *sigma, const struct row *x, double *v, size_t dim)
{
    const double *row[FOUR];
    double a[FOUR];
    size_t n = 0;
    memset(v, 0, dim * sizeof *v);
    for (size_t e = 0; e < x->n; e++) {
        row[n] = sigma + (x->idx ? x->idx[e] : e) * dim;
        a[n] = x->val[e];
        n += a[n] != 0;
        if (n == FOUR) {
            add_four(a, row, v, dim);
            n = 0;
        }
    }
    for (size_t i = 0; i < n; i++)
        dense_add_times(a[i], row[i], v, dim);
}

/* SOLAR-II: Sigma is the covariance of the weights (Wang et al. 2015, Proposition 2, with its
 * Sigma after each pair). */
static int solar2(struct state *state, const struct row *x, struct fault *fault)
{
    double *sigma = state->arrays.at[0], missing = 1 - matrix_row_times(x, state->w);
    double *v = buffer_for(&state->spare, state->dim, sizeof *v, fault);
    if (!v || missing <= 0)
        return v ? 0 : -1;
    spread(sigma, x, v, state->dim);
    double b = matrix_row_times(x, v) + state->settings.value[SETTING_TRADEOFF];
    if (!(b > 0) || isinf(b))
        return fault_data(fault, "x'Sigma x + gamma is %g: the features are too large, or Sigma "
                          "is no longer positive: use a larger tradeoff, or smaller features", b);
    for (size_t j = 0; j < state->dim; j++)
        state->w[j] += v[j] * (missing / b);

    /* Both halves of Sigma get the same bits. */
    size_t dim = state->dim;
    double root = sqrt(b);
    for (size_t j = 0; j < dim; j++)
        v[j] /= root;
    for (size_t i = 0; i < dim; i++)
        if (v[i] != 0)
            dense_add_times(-v[i], v, sigma + i * dim, dim);
    return 0;
}

/* A perceptron on pairs. */
static int perceptron(struct state *state, const struct row *x, struct fault *fault)
{
    (void)fault;
    if (matrix_row_times(x, state->w) <= 0)
        matrix_row_add(x, 1, state->w);
    return 0;
}

/* The committee: votes and weights of its members, oldest first, and the current perceptron. */
enum { VOTES, MEMBERS, STREAK, MEMBER, CURRENT };

/* The current perceptron joins if there is room, or replaces the member with the fewest votes if it
 * has more. Of members with equal votes the oldest leaves. */
static void enter(struct state *state)
{
    double *votes = state->arrays.at[VOTES], *members = state->arrays.at[MEMBERS];
    double streak = *state->arrays.at[STREAK], *member = state->arrays.at[MEMBER];
    size_t room = (size_t)state->settings.value[SETTING_MEMBERS], n = (size_t)*members, least = 0;
    size_t dim = state->dim;
    for (size_t i = 1; i < n; i++)
        if (votes[i] < votes[least])
            least = i;
    if (n == room && streak <= votes[least])
        return;
    if (n == room) {
        n--;
        memmove(votes + least, votes + least + 1, (n - least) * sizeof *votes);
        memmove(member + least * dim, member + (least + 1) * dim,
                (n - least) * dim * sizeof *member);
    }
    votes[n] = streak;
    memcpy(member + n * dim, state->arrays.at[CURRENT], dim * sizeof *member);
    *members = (double)(n + 1);
}

static int deliberate(struct state *state, const struct row *x, struct fault *fault)
{
    double *streak = state->arrays.at[STREAK], *current = state->arrays.at[CURRENT];
    (void)fault;
    if (matrix_row_times(x, current) > 0) {
        ++*streak;
        return 0;
    }
    enter(state);
    matrix_row_add(x, 1, current);
    *streak = 0;
    return 0;
}

/* w = the sum of the members, weighted by their votes. */
static int learn_and_sum(void *own, struct state *state, const struct matrix *x,
                         const struct round *round, struct fault *fault)
{
    if (learn(own, state, x, round, fault) < 0) return -1;
    const double *votes = state->arrays.at[VOTES], *member = state->arrays.at[MEMBER];
    memset(state->w, 0, state->dim * sizeof *state->w);
    for (size_t i = 0; i < (size_t)*state->arrays.at[MEMBERS]; i++)
        for (size_t j = 0; j < state->dim; j++)
            state->w[j] += votes[i] * member[i * state->dim + j];
    return learner_check(state, fault);
}

const struct learner learn_solar1 = {
    .name = "solar1", .letters = "Cos", .least = 2, .docs = 5000, .learn = learn,
    .seen = "-k all",
    .differs = &(const struct way){ solar1 },
    .preset = { [SETTING_TRADEOFF] = 1e-5, [SETTING_SEED] = 1 },
};

const struct learner learn_solar2 = {
    .name = "solar2", .letters = "Cos", .least = 2, .docs = 1000, .learn = learn,
    .seen = "-k all",
    .differs = &(const struct way){ solar2 }, .arrays = { { "sigma", ARRAY_SQUARE, SETTINGS, 0 } },
    .preset = { [SETTING_TRADEOFF] = 1e4, [SETTING_SEED] = 1 },
    .most = 4096,
};

const struct learner learn_prank_pair = {
    .name = "prank-pair", .letters = "os", .least = 2, .docs = 5000, .learn = learn,
    .seen = "-k all",
    .differs = &(const struct way){ perceptron }, .preset = { [SETTING_SEED] = 1 },
};

const struct learner learn_committee = {
    .name = "committee", .letters = "Nos", .least = 2, .docs = 5000,
    .seen = "-k all",
    .learn = learn_and_sum, .differs = &(const struct way){ deliberate },
    .arrays = { [VOTES] = { "votes", ARRAY_NUMBERS, SETTING_MEMBERS, 0 },
              [MEMBERS] = { "members", ARRAY_COUNT, SETTING_MEMBERS, 0 },
              [STREAK] = { "streak", ARRAY_COUNT, SETTINGS, 0 },
              [MEMBER] = { "member", ARRAY_VECTORS, SETTING_MEMBERS, 0 },
              [CURRENT] = { "current", ARRAY_VECTORS, SETTINGS, 0 } },
    .preset = { [SETTING_MEMBERS] = 20, [SETTING_SEED] = 1 },
    .most = LEARNER_MOST / 32,
};
