/*
 * ridge: after every round its weights and P are what the normal equations of all documents seen
 * say, had here by elimination; of those not seen it takes the mean and nothing else; and features
 * that come late might have been there, and 0, from the start. And the triangle it keeps: its sums
 * have their order, to the bit.
 */
#include "rounds.h"
#include "triangle.h"

enum { ROUNDS = 40, NARROW = 9, ROWS = 2 * NARROW };

/* a is lambda I + the sum of zz', c the sum of r z. Rows go by deviations, and then by means. */
struct equations {
    bool plain;
    long double lambda, a[ROWS][ROWS], c[ROWS];
};

/* Gauss and Jordan, without looking for pivots: a is positive. */
static void invert(const struct equations *q, long double inverse[ROWS][ROWS])
{
    long double a[ROWS][ROWS];
    memcpy(a, q->a, sizeof a);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++)
            inverse[i][j] = i == j;
    for (size_t p = 0; p < ROWS; p++) {
        long double pivot = a[p][p];
        for (size_t j = 0; j < ROWS; j++) {
            a[p][j] /= pivot;
            inverse[p][j] /= pivot;
        }
        for (size_t i = 0; i < ROWS; i++) {
            long double factor = a[i][p];
            for (size_t j = 0; i != p && j < ROWS; j++) {
                a[i][j] -= factor * a[p][j];
                inverse[i][j] -= factor * inverse[p][j];
            }
        }
    }
}

static void add_document(struct equations *q, const struct query *query, size_t doc)
{
    long double z[ROWS] = { 0 };
    for (size_t j = 0; j < query->dim; j++) {
        long double mean = 0;
        for (size_t i = 0; !q->plain && i < query->docs; i++)
            mean += query->x[i][j];
        mean /= query->docs;
        z[j] = query->x[doc][j] - mean;
        z[NARROW + j] = mean;
    }
    for (size_t i = 0; i < ROWS; i++) {
        q->c[i] += query->label[doc] * z[i];
        for (size_t j = 0; j < ROWS; j++)
            q->a[i][j] += z[i] * z[j];
    }
}

/* Where in the triangle the rows i and j of the equations are. */
static size_t place(const struct equations *q, size_t i, size_t j)
{
    size_t r = q->plain ? i : i % NARROW * 2 + i / NARROW;
    size_t c = q->plain ? j : j % NARROW * 2 + j / NARROW;
    return r > c ? r * (r + 1) / 2 + c : c * (c + 1) / 2 + r;
}

static bool near(long double got, long double want, long double size)
{
    return fabsl(got - want) <= 1e-9L * size;
}

static void compare(const struct state *state, const struct equations *q)
{
    long double inverse[ROWS][ROWS], w[ROWS] = { 0 }, size = 0;
    invert(q, inverse);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < ROWS; j++)
            w[i] += inverse[i][j] * q->c[j];
        size = fmaxl(size, fabsl(w[i]));
    }
    for (size_t i = 0; i < ROWS; i++) {
        size_t j = i % NARROW;
        if (j >= state->dim || (q->plain && i >= NARROW))
            continue;
        double got = i < NARROW ? state->w[j] : state->kept[0][j];
        hold(near(got, w[i], size), "ridge", i < NARROW ? "w" : "level", got, w[i]);
        for (size_t k = 0; k < (q->plain ? NARROW : ROWS); k++) {
            if (k % NARROW >= state->dim)
                continue;
            double p = state->kept[1][place(q, i, k)];
            hold(near(p, q->lambda * inverse[i][k], 1), "ridge", "P", p,
                 q->lambda * inverse[i][k]);
        }
    }
}

static void begin(struct state *state, double lambda, bool plain)
{
    struct settings settings = { { false }, { 0 } };
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
    struct equations q = { .plain = plain, .lambda = lambda > 0 ? lambda : 1 };
    for (size_t i = 0; i < ROWS; i++)
        q.a[i][i] = q.lambda;
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
            add_document(&q, &query, order[a]);
        compare(&state, &q);
        size_t d = state.dim, rows = plain ? d : 2 * d;
        hold(memcmp(state.w, wide.w, d * sizeof(double)) == 0 &&
             memcmp(state.kept[0], wide.kept[0], d * sizeof(double)) == 0 &&
             memcmp(state.kept[1], wide.kept[1], triangle_size(rows) * sizeof(double)) == 0,
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

/* ---- the triangle ---- */

/* A x, a number of y after the other: first what is left of it in its row, in four lanes up to the
 * last four, then what is below it. */
static double times_by_rows(const double *a, size_t n, const double *x, size_t i)
{
    double lane[4] = { 0 };
    const double *row = a + i * (i + 1) / 2;
    for (size_t j = 0; j < i - i % 4; j++)
        lane[j % 4] += row[j] * x[j];
    double sum = (lane[0] + lane[2]) + (lane[1] + lane[3]);
    for (size_t j = i - i % 4; j <= i; j++)
        sum += row[j] * x[j];
    for (size_t below = i + 1; below < n; below++)
        sum += a[below * (below + 1) / 2 + i] * x[below];
    return sum;
}

static void check_triangle(struct rng *rng, size_t n)
{
    static double a[DIM * (DIM + 1)], less[DIM * (DIM + 1)];
    double x[DIM], y[DIM];
    size_t size = triangle_size(n);
    hold(size == n * (n + 1) / 2, "triangle", "size", size, n * (n + 1) / 2);
    for (size_t e = 0; e < size; e++)
        less[e] = a[e] = 2 * rng_unit(rng) - 1;
    for (size_t j = 0; j < n; j++)
        x[j] = rng_below(rng, 4) ? 2 * rng_unit(rng) - 1 : 0;
    triangle_times(a, n, x, y);
    triangle_less(less, n, x);
    for (size_t i = 0; i < n; i++) {
        double want = times_by_rows(a, n, x, i);
        hold(memcmp(&y[i], &want, sizeof want) == 0, "triangle", "times", y[i], want);
        for (size_t j = 0; j <= i; j++) {
            size_t e = i * (i + 1) / 2 + j;
            hold(less[e] == a[e] - x[i] * x[j], "triangle", "less", less[e], a[e] - x[i] * x[j]);
        }
    }
}

static void check_size(void)
{
    static const size_t huge[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, SIZE_MAX / 2 - 1 };
    for (size_t i = 0; i < COUNT(huge); i++)
        hold(triangle_size(huge[i]) == SIZE_MAX, "triangle", "size", triangle_size(huge[i]),
             SIZE_MAX);
}

int main(void)
{
    static const double lambda[] = { 0, 0.1, 10, 1000 };
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    for (size_t n = 0; n <= DIM; n++)
        check_triangle(&rng, n);
    check_size();
    for (size_t i = 0; i < COUNT(lambda); i++)
        for (size_t n = 0; n < 10; n++)
            check_equations(&rng, lambda[i], n % 2);
    for (size_t n = 0; n < 10; n++)
        check_unseen(&rng, n % 2);
    if (wrong)
        fprintf(stderr, "ridge: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
