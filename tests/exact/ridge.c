/*
 * ridge: after every round its weights and P are what the normal equations of all documents seen
 * say, had here by elimination; of those not seen it takes the mean and nothing else; and features
 * that come late might have been there, and 0, from the start. And the factor it keeps,
 * beside the matrix that it is of.
 */
#include "equations.h"
#include "learn/scoring.h"
#include "math/regression.h"
#include "math/rng.h"
#include "kernels/covariance.h"

enum { ROUNDS = 40 };

static long double product(const double *a, size_t n, size_t i, size_t j);

/* P at the rows i and j of the equations, which the factor of n rows has in another order. */
static long double covariance(const struct equations *q, const double *a, size_t n, size_t i,
                              size_t j)
{
    return product(a, n, q->plain ? i : i % NARROW * 2 + i / NARROW,
                   q->plain ? j : j % NARROW * 2 + j / NARROW);
}

static bool near(long double got, long double want, long double size)
{
    return fabsl(got - want) <= 1e-9L * size;
}

static void compare(const struct state *state, const struct equations *q)
{
    long double inverse[ROWS][ROWS], w[ROWS], size = 0;
    solve(q, inverse, w);
    for (size_t i = 0; i < ROWS; i++)
        size = fmaxl(size, fabsl(w[i]));
    for (size_t i = 0; i < ROWS; i++) {
        size_t j = i % NARROW;
        if (j >= state->dim || (q->plain && i >= NARROW))
            continue;
        double got = i < NARROW ? state->w[j] : state->arrays.at[1][j];
        hold(near(got, w[i], size), "ridge", i < NARROW ? "w" : "level", got, w[i]);
        for (size_t k = 0; k < (q->plain ? NARROW : ROWS); k++) {
            if (k % NARROW >= state->dim)
                continue;
            size_t rows = q->plain ? state->dim : 2 * state->dim;
            long double p = covariance(q, state->arrays.at[0], rows, i, k);
            hold(near(p, q->lambda * inverse[i][k], 1), "ridge", "P", p,
                 q->lambda * inverse[i][k]);
        }
    }
}

static void begin(struct state *state, double lambda, bool plain)
{
    struct settings settings = { .set = { false } };
    if (lambda > 0)
        set(&settings, SETTING_TRADEOFF, lambda);
    if (plain)
        set(&settings, SETTING_PLAIN, 1);
    start(state, "ridge", &settings);
}

/* A query, wider and wider but now and then narrow again, and in what order it was shown. */
static void draw(struct rng *rng, struct query *query, uint32_t *order, uint32_t t)
{
    uint32_t wide = t / 3 + 1 < NARROW ? t / 3 + 1 : NARROW;
    draw_features(rng, query, 1 + rng_below(rng, DOCS), t % 3 ? wide : 1 + rng_below(rng, wide),
                  draw_unit);
    draw_labels(rng, query, 4);
    rng_permutation(rng, order, (uint32_t)query->docs);
}

/* In the same run: the equations, and a state as wide as it gets before its first round. */
static void check_equations(struct rng *rng, double lambda, bool plain)
{
    static struct made made;
    struct state state, wide;
    struct equations q;
    begin_equations(&q, lambda > 0 ? lambda : 1, plain);
    begin(&state, lambda, plain);
    begin(&wide, lambda, plain);
    reach(&wide, NARROW);
    for (uint32_t t = 1; t <= ROUNDS; t++) {
        struct query query;
        uint32_t order[DOCS];
        draw(rng, &query, order, t);
        size_t k = 1 + rng_below(rng, (uint32_t)query.docs);
        make_round(&made, &query, t, (enum form)(t % FORMS));
        learn_round(&state, mask_round(&made, order, k));
        learn_round(&wide, &made.round);
        for (size_t a = 0; a < k; a++)
            add_document(&q, &query, order[a], 1);
        compare(&state, &q);
        size_t d = state.dim, rows = plain ? d : 2 * d;
        hold(memcmp(state.w, wide.w, d * sizeof(double)) == 0 &&
             memcmp(state.arrays.at[1], wide.arrays.at[1], d * sizeof(double)) == 0 &&
             memcmp(state.arrays.at[0], wide.arrays.at[0], udu_size(rows) * sizeof(double)) == 0,
             "ridge", "what was wide from the start is another, t", t, d);
    }
    learner_close(&state);
    learner_close(&wide);
}

/* Moves one document by so much, and another by as much the other way: halves, so exactly. */
static void move_apart(struct rng *rng, struct query *query, uint32_t one, uint32_t other)
{
    for (size_t j = 0; j < query->dim; j++) {
        float by = draw_half(rng);
        query->x[one][j] += by;
        query->x[other][j] -= by;
    }
}

/* Those not seen: others of the same mean, with other labels, teach the same; of another mean they
 * do not, but where features are plain. */
static void check_unseen(struct rng *rng, bool plain)
{
    static struct made made;
    struct state state, same, other;
    begin(&state, 0, plain);
    begin(&same, 0, plain);
    begin(&other, 0, plain);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        struct query query;
        uint32_t order[DOCS];
        draw_features(rng, &query, 4 + rng_below(rng, DOCS - 3), NARROW, draw_half);
        draw_labels(rng, &query, 4);
        rng_permutation(rng, order, (uint32_t)query.docs);
        make_round(&made, &query, t, DENSE);
        learn_round(&state, mask_round(&made, order, 2));
        move_apart(rng, &query, order[2], order[3]);
        query.label[order[2]] += 1;
        make_round(&made, &query, t, DENSE);
        learn_round(&same, mask_round(&made, order, 2));
        query.x[order[2]][t % NARROW] += 1;
        make_round(&made, &query, t, DENSE);
        learn_round(&other, mask_round(&made, order, 2));
    }
    hold(same_learnt(&state, &same), "ridge", "the unseen count, plain", plain, plain);
    hold(same_learnt(&state, &other) == plain, "ridge", "the mean counts, plain", plain, plain);
    learner_close(&state);
    learner_close(&same);
    learner_close(&other);
}

/* ---- the factor ---- */

/* U D U' at (i, j), from column k = max(i, j) on. */
static long double product(const double *a, size_t n, size_t i, size_t j)
{
    long double sum = 0;
    for (size_t k = i > j ? i : j; k < n; k++) {
        const double *column = a + k * (k + 1) / 2;
        sum += (i == k ? 1.0L : column[i]) * (long double)column[k] * (j == k ? 1.0L : column[j]);
    }
    return sum;
}

/* An observation of a factor of random numbers, its variances, and its root, all by P itself. */
static void check_udu(struct rng *rng, size_t n)
{
    static double a[DIM * (DIM + 1)], before[DIM * (DIM + 1)];
    double z[DIM], u[DIM], e[DIM], root[DIM];
    hold(udu_size(n) == n * (n + 1) / 2, "factor", "size", udu_size(n), n * (n + 1) / 2);
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i <= k; i++)
            a[k * (k + 1) / 2 + i] = i == k ? 0.1 + rng_unit(rng) : 2 * rng_unit(rng) - 1;
        z[k] = rng_below(rng, 4) ? 2 * rng_unit(rng) - 1 : 0;
    }
    memcpy(before, a, sizeof a);
    double abreast[COVARIANCE_ABREAST * DIM], variances[COVARIANCE_ABREAST];
    for (size_t i = 0; i < COVARIANCE_ABREAST * n; i++)
        abreast[i] = z[i / COVARIANCE_ABREAST];
    covariance_variances(a, n, abreast, NULL, variances);
    struct udu_observation o = { z, 0.5, u, 0 };
    covariance_observe(a, n, &o, 1);
    double variance = variances[COVARIANCE_ABREAST - 1], b = o.b;
    long double want = 0, size = 1;
    for (size_t i = 0; i < n; i++) {
        long double pz = 0;
        for (size_t j = 0; j < n; j++)
            pz += product(before, n, i, j) * z[j];
        want += z[i] * pz;
        size = fmaxl(size, fabsl(product(before, n, i, i)));
        hold(near(u[i], pz, size), "factor", "P z", u[i], pz);
    }
    hold(near(variance, want, 1 + want), "factor", "z'P z", variance, want);
    hold(near(b, want + 0.5L, 1 + want), "factor", "b", b, want + 0.5L);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            hold(near(product(a, n, i, j), product(before, n, i, j) - (long double)u[i] * u[j] / b,
                      size), "factor", "P", product(a, n, i, j), i * n + j);
    for (size_t j = 0; j < n; j++) { /* a column of the root, and what is left of its square */
        for (size_t i = 0; i < n; i++)
            e[i] = i == j;
        udu_spread(before, n, e, root);
        for (size_t i = 0; i <= j; i++)
            hold(near(root[i], (i == j ? 1 : before[j * (j + 1) / 2 + i]) *
                                   sqrt(before[j * (j + 1) / 2 + j]), 1),
                 "factor", "root", root[i], j);
        for (size_t i = j + 1; i < n; i++)
            hold(root[i] == 0, "factor", "root below the diagonal", root[i], 0);
    }
}

static void check_size(void)
{
    static const size_t huge[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, SIZE_MAX / 2 - 1 };
    for (size_t i = 0; i < COUNT(huge); i++)
        hold(udu_size(huge[i]) == SIZE_MAX, "factor", "size", udu_size(huge[i]),
             SIZE_MAX);
}

/* ---- thompson and linucb ---- */

static const double LAMBDA = 3, WIDTH = 0.7, SEED = 5;

/* The width of both: given, or 0.15 of the residuals' deviation, of which one is 1. */
struct width {
    bool given;
    long double squares, count;
};

static long double width_of(const struct width *width)
{
    return width->given ? (long double)WIDTH : 0.15L * sqrtl(width->squares / width->count);
}

static void begin_wide(struct state *state, const char *name, bool plain, bool given)
{
    struct settings settings = { .set = { false } };
    set(&settings, SETTING_TRADEOFF, LAMBDA);
    if (given)
        set(&settings, SETTING_EXPLORATION_WIDTH, WIDTH);
    if (plain)
        set(&settings, SETTING_PLAIN, 1);
    if (strcmp(name, "thompson") == 0)
        set(&settings, SETTING_SEED, SEED);
    start(state, name, &settings);
}

/* What thompson sends: w, and the root of its covariance times draws that are the round's own. */
static void check_drawn(struct state *state, const struct model *message, bool plain,
                        const struct width *width)
{
    size_t n = plain ? state->dim : 2 * state->dim, step = plain ? 1 : 2;
    struct normals normals = { .rng = rng_at((uint64_t)SEED, RNG_POSTERIOR, state->rounds) };
    double x[2 * DIM];
    for (size_t k = 0; k < n; k++)
        x[k] = normal_draw(&normals);
    for (size_t j = 0; j < state->dim; j++) {
        long double want = 0;
        for (size_t k = step * j; k < n; k++) {
            const double *column = state->arrays.at[0] + k * (k + 1) / 2;
            want += (k == step * j ? 1 : column[step * j]) * sqrt(column[k]) * x[k];
        }
        want = state->w[j] + width_of(width) * want / sqrtl(LAMBDA);
        double got;
        memcpy(&got, (const char *)message->w + j * sizeof got, sizeof got);
        hold(near(got, want, 1 + fabsl(want)), "thompson", "drawn", got, want);
    }
}

/* The regressors of document d, and their variance z'(Z'Z + lambda I)^-1 z. */
static long double regressors(const struct equations *q, const struct query *query, size_t d,
                              long double inverse[ROWS][ROWS], long double z[ROWS])
{
    long double variance = 0;
    for (size_t i = 0; i < ROWS; i++)
        z[i] = 0;
    for (size_t j = 0; j < query->dim; j++) {
        for (size_t i = 0; !q->plain && i < query->docs; i++)
            z[NARROW + j] += (long double)query->x[i][j] / query->docs;
        z[j] = query->x[d][j] - z[NARROW + j];
    }
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++)
            variance += z[i] * inverse[i][j] * z[j];
    return variance;
}

/* What linucb's message scores: w.x and the width of what is expected, by the equations. */
static void check_bound(const struct state *state, const struct equations *q,
                        const struct query *query, const double *s, const struct width *width)
{
    long double inverse[ROWS][ROWS], w[ROWS], z[ROWS];
    solve(q, inverse, w);
    for (size_t d = 0; d < query->docs; d++) {
        long double want = width_of(width) * sqrtl(regressors(q, query, d, inverse, z));
        for (size_t j = 0; j < query->dim && j < state->dim; j++)
            want += state->w[j] * (long double)query->x[d][j];
        hold(near(s[d], want, 1 + fabsl(want)), "linucb", "bound", s[d], want);
    }
}

/* Counts the answer about document d, before the equations have it. */
static void measure(struct width *width, const struct equations *q, const struct query *query,
                    size_t d)
{
    long double inverse[ROWS][ROWS], w[ROWS], z[ROWS];
    solve(q, inverse, w);
    long double spread = 1 + regressors(q, query, d, inverse, z), e = query->label[d];
    for (size_t i = 0; i < ROWS; i++)
        e -= w[i] * z[i];
    width->squares += e * e / spread;
    width->count++;
}

/* The same rounds to both; the next round is scored, which may be wider than what was learnt. */
static void check_explorers(struct rng *rng, bool plain, bool given)
{
    static struct made made;
    static struct model message;
    struct fault fault = { 0 };
    struct state drawn, bound;
    struct scoring scoring = { .learners = learners, .ring = true };
    struct width width = { given, 1, 1 };
    struct equations q;
    begin_equations(&q, LAMBDA, plain);
    begin_wide(&drawn, "thompson", plain, given);
    begin_wide(&bound, "linucb", plain, given);
    for (uint32_t t = 1; t <= ROUNDS; t++) {
        struct query query;
        struct matrix x;
        uint32_t order[DOCS];
        double s[DOCS];
        draw(rng, &query, order, t);
        make_round(&made, &query, t, (enum form)(t % FORMS));
        must(round_matrix(&made.round, &x, &fault), &fault);
        must(learner_publish(&bound, &message, PUBLISH_WHOLE, &fault), &fault);
        must(scoring_borrow(&scoring, &message, &fault), &fault);
        must(scoring_round(&scoring, &made.round, ROUND_SCORE, NULL, &fault), &fault);
        take_column(&made, ROUND_SCORE, made.round.score, s);
        check_bound(&bound, &q, &query, s, &width);
        learn_round(&drawn, mask_round(&made, order, 1));
        learn_round(&bound, &made.round);
        measure(&width, &q, &query, order[0]);
        add_document(&q, &query, order[0], 1);
        must(learner_publish(&drawn, &message, PUBLISH_WHOLE, &fault), &fault);
        check_drawn(&drawn, &message, plain, &width);
    }
    hold(memcmp(drawn.w, bound.w, drawn.dim * sizeof(double)) == 0, "thompson",
         "what is learnt is not linucb's, plain", plain, plain);
    scoring_close(&scoring);
    learner_close(&drawn);
    learner_close(&bound);
}

int main(void)
{
    static const double lambda[] = { 0, 0.1, 10, 1000 };
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    for (size_t n = 0; n <= DIM; n++)
        check_udu(&rng, n);
    check_size();
    for (size_t i = 0; i < COUNT(lambda); i++)
        for (size_t n = 0; n < 10; n++)
            check_equations(&rng, lambda[i], n % 2);
    for (size_t n = 0; n < 10; n++)
        check_unseen(&rng, n % 2);
    for (size_t n = 0; n < 20; n++)
        check_explorers(&rng, n % 2, n < 10);
    if (wrong)
        fprintf(stderr, "ridge: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
