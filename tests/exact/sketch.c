/*
 * sketch: the information of a regression as diagonal and directions. Up to 31 observations it is
 * the dense matrix, and so it stays where all observations lie in 16 dimensions; its diagonal is so
 * always. Each gain and variance is what elimination finds for D + V'V. What is dropped makes
 * nothing more certain, and a sketch that was saved goes on to the bit. Sums, and rows without a
 * slot. And a wide regression beside one that has all of P.
 */
#include "math/regression.h"
#include "math/sketch.h"
#include "rounds.h"

enum { N = 24, MUCH = 5000 };

/* A dense matrix, and the sums of c z^2. */
struct dense {
    long double a[N][N];
    double counted[N];
};

static const double lambda = 2.5;

static void begin(struct dense *dense)
{
    memset(dense, 0, sizeof *dense);
    for (size_t i = 0; i < N; i++)
        dense->a[i][i] = lambda;
}

/* x = A^-1 z, by elimination. */
static void solve(const long double from[N][N], const double *z, long double *x)
{
    long double a[N][N];
    memcpy(a, from, sizeof a);
    for (size_t i = 0; i < N; i++)
        x[i] = z[i];
    for (size_t p = 0; p < N; p++)
        for (size_t i = p + 1; i < N; i++) {
            long double by = a[i][p] / a[p][p];
            for (size_t j = p; j < N; j++)
                a[i][j] -= by * a[p][j];
            x[i] -= by * x[p];
        }
    for (size_t i = N; i-- > 0; x[i] /= a[i][i])
        for (size_t j = i + 1; j < N; j++)
            x[i] -= a[i][j] * x[j];
}

/* D + V'V */
static void expand(struct sketch *sketch, const double *counted, long double a[N][N])
{
    struct sketch_parts parts;
    struct fault fault;
    must(sketch_save(sketch, &parts, &fault), &fault);
    memset(a, 0, N * sizeof *a);
    for (size_t i = 0; i < N; i++)
        a[i][i] = lambda + counted[i];
    for (size_t s = 0; s < parts.slots; s++)
        a[(size_t)parts.row[s]][(size_t)parts.row[s]] = parts.d[s];
    for (size_t k = 0; k < parts.vectors; k++)
        for (size_t s = 0; s < parts.slots; s++)
            for (size_t t = 0; t < parts.slots; t++)
                a[(size_t)parts.row[s]][(size_t)parts.row[t]] +=
                    (long double)parts.v[k * parts.slots + s] * parts.v[k * parts.slots + t];
}

/* Some rows, in any order; z in the span of `dims` vectors where dims is not 0. */
static size_t draw(struct rng *rng, size_t dims, uint32_t *row, double *z)
{
    double dense[N] = { 0 };
    uint32_t order[N];
    size_t n = 0;
    rng_permutation(rng, order, N);
    for (size_t d = 0; d < dims; d++) {
        struct rng base = rng_at(99, RNG_GAME, d);
        double much = 2 * rng_unit(rng) - 1;
        for (size_t i = 0; i < N; i++)
            dense[i] += much * (2 * rng_unit(&base) - 1);
    }
    for (size_t i = 0; i < N; i++) {
        if (dims == 0 && rng_below(rng, 3) == 0)
            continue;
        row[n] = order[i];
        z[n++] = dims ? dense[order[i]] : 2 * rng_unit(rng) - 1;
    }
    return n;
}

static void near(const char *what, long double got, long double want, long double size)
{
    hold(fabsl(got - want) <= 1e-9L * (size + 1), "sketch", what, got, want);
}

/* One observation: b and the gain are those of D + V'V before it. */
static void observe(struct sketch *sketch, struct dense *dense, const uint32_t *row,
                    const double *z, size_t n, double c)
{
    long double a[N][N], gain[N];
    double whole[N] = { 0 };
    for (size_t e = 0; e < n; e++)
        whole[row[e]] = sqrt(c) * z[e];
    expand(sketch, dense->counted, a);
    solve(a, whole, gain);
    long double b = 1;
    for (size_t i = 0; i < N; i++)
        b += gain[i] * whole[i];
    double d[N];
    double got = sketch_observe(sketch, &(struct sketch_observation){ n, row, z, c, lambda,
                                                                      dense->counted, d });
    near("b", got, b, b);
    for (size_t s = 0; s < sketch->slots; s++)
        near("gain", sketch->gain[s], gain[sketch->at->row[s]], 1);
    for (size_t i = 0; i < N; i++) {
        dense->counted[i] += whole[i] * whole[i];
        for (size_t j = 0; j < N; j++)
            dense->a[i][j] += (long double)whole[i] * whole[j];
    }
}

/* What D + V'V is of A after `count` observations. */
static void compare(struct rng *rng, struct sketch *sketch, const struct dense *dense, bool exact)
{
    long double a[N][N];
    expand(sketch, dense->counted, a);
    for (size_t i = 0; i < N; i++) {
        near("the diagonal", a[i][i], dense->a[i][i], dense->a[i][i]);
        for (size_t j = 0; exact && j < N; j++)
            near("A", a[i][j], dense->a[i][j], dense->a[i][i]);
    }
    /* V'V is at most the sum of c z z', so D is at least lambda. */
    long double D[N];
    for (size_t i = 0; i < N; i++) {
        size_t s = sketch_slot(sketch, i);
        D[i] = s < SKETCH_SLOTS ? sketch->at->d[s] : lambda + dense->counted[i];
    }
    for (int draws = 0; draws < 20; draws++) {
        long double all = 0, kept = 0;
        double x[N], size = 0;
        for (size_t i = 0; i < N; i++)
            x[i] = 2 * rng_unit(rng) - 1;
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) {
                size += fabs((double)dense->a[i][j]);
                all += x[i] * x[j] * (dense->a[i][j] - (i == j ? lambda : 0));
                kept += x[i] * x[j] * a[i][j];
                kept -= i == j ? x[i] * x[j] * D[i] : 0;
            }
        hold(kept <= all + 1e-9L * size, "sketch", "x'V'Vx", kept, all);
    }
    for (size_t s = 0; s < sketch->slots; s++)
        hold(sketch->at->d[s] >= lambda, "sketch", "D", sketch->at->d[s], lambda);
}

static void check(struct rng *rng, size_t dims, size_t rounds)
{
    struct sketch sketch = { .slots = 0 };
    struct fault fault;
    struct dense dense;
    begin(&dense);
    must(sketch_reach(&sketch, N, &fault), &fault);
    for (size_t t = 1; t <= rounds; t++) {
        uint32_t row[N];
        double z[N];
        size_t n = draw(rng, dims, row, z);
        observe(&sketch, &dense, row, z, n, 0.25 + rng_unit(rng));
        hold(sketch.vectors < SKETCH_MOST, "sketch", "vectors", sketch.vectors, SKETCH_MOST);
        if (t % 5 == 0 || (t >= 30 && t <= 34))
            compare(rng, &sketch, &dense, t < SKETCH_MOST || (dims && dims <= SKETCH_KEPT));
    }
    sketch_close(&sketch);
}

/* What comes late, in rows of its own, is kept as what came first: both lie in 8 dimensions. */
static void check_blocks(struct rng *rng)
{
    struct sketch sketch = { .slots = 0 };
    struct fault fault;
    struct dense dense;
    begin(&dense);
    must(sketch_reach(&sketch, N, &fault), &fault);
    for (size_t t = 0; t < 2 * SKETCH_MOST; t++) {
        uint32_t row[8];
        double z[8];
        for (size_t e = 0; e < COUNT(row); e++) {
            row[e] = (uint32_t)(e + (t < SKETCH_KEPT ? 0 : COUNT(row)));
            z[e] = 2 * rng_unit(rng) - 1;
        }
        observe(&sketch, &dense, row, z, COUNT(row), 1);
        compare(rng, &sketch, &dense, true);
    }
    sketch_close(&sketch);
}

/* Saved at any time, a sketch goes on to the bit. */
static void check_saving(struct rng *rng)
{
    struct sketch one = { .slots = 0 }, other = { .slots = 0 };
    struct sketch_parts parts;
    struct fault fault;
    double counted[N] = { 0 };
    must(sketch_reach(&one, N, &fault), &fault);
    for (size_t t = 1; t <= 80; t++) {
        uint32_t row[N];
        double z[N], d[N];
        size_t n = draw(rng, 0, row, z);
        must(sketch_save(&one, &parts, &fault), &fault);
        sketch_close(&other);
        memset(&other, 0, sizeof other);
        must(sketch_load(&other, N, parts, &fault), &fault);
        const struct sketch_observation o = { n, row, z, 0.5, lambda, counted, d };
        double b = sketch_observe(&one, &o), again = sketch_observe(&other, &o);
        hold(b == again, "saved", "b", again, b);
        for (size_t s = 0; s < one.slots; s++)
            hold(one.gain[s] == other.gain[s], "saved", "gain", other.gain[s], one.gain[s]);
        for (size_t e = 0; e < n; e++)
            counted[row[e]] += 0.5 * z[e] * z[e];
    }
    sketch_close(&one);
    sketch_close(&other);
}

/* Two sketches add up: to A while there are 31 observations in all, and in their diagonal always.
 * Products with A^-1 undo those with A. */
static void check_sums(struct rng *rng, size_t rounds)
{
    struct sketch sketch[2] = { { .slots = 0 }, { .slots = 0 } };
    struct fault fault;
    static struct dense both, dense[2];
    long double a[N][N];
    double x[N], want[N];
    begin(&both);
    for (int i = 0; i < 2; i++) {
        begin(&dense[i]);
        must(sketch_reach(&sketch[i], N, &fault), &fault);
        for (size_t t = 0; t < rounds; t++) {
            uint32_t row[N];
            double z[N];
            size_t n = draw(rng, 0, row, z) / (i ? 2 : 1); /* of some rows one alone has a slot */
            observe(&sketch[i], &dense[i], row, z, n, 1);
        }
        for (size_t r = 0; r < N; r++)
            for (size_t c = 0; c < N; c++)
                both.a[r][c] += dense[i].a[r][c] - (r == c ? lambda : 0);
    }
    static const double none[DIM];
    sketch_add(&sketch[0], &sketch[1],
               &(struct sketch_counts){ lambda, dense[0].counted, dense[1].counted, none });
    for (size_t r = 0; r < N; r++)
        both.counted[r] = dense[0].counted[r] + dense[1].counted[r];
    compare(rng, &sketch[0], &both, 2 * rounds < SKETCH_MOST);
    expand(&sketch[0], both.counted, a);
    for (size_t r = 0; r < N; r++)
        x[r] = want[r] = 2 * rng_unit(rng) - 1;
    sketch_times(&sketch[0], lambda, both.counted, x);
    for (size_t r = 0; r < N; r++) {
        long double sum = 0;
        for (size_t c = 0; c < N; c++)
            sum += a[r][c] * want[c];
        near("A x", x[r], sum, fabsl(sum));
    }
    sketch_solve(&sketch[0], lambda, both.counted, x);
    for (size_t r = 0; r < N; r++)
        near("A^-1 A x", x[r], want[r], 1);
    sketch_close(&sketch[0]);
    sketch_close(&sketch[1]);
}

/* Rows after the first 4,096 have no slot, and count by their diagonal alone. */
static void check_slots(void)
{
    static double counted[MUCH], z[MUCH], d[MUCH];
    static uint32_t row[MUCH];
    struct sketch sketch = { .slots = 0 };
    struct fault fault;
    must(sketch_reach(&sketch, MUCH, &fault), &fault);
    for (size_t e = 0; e < MUCH; e++) {
        row[e] = (uint32_t)(MUCH - 1 - e);
        z[e] = e % 7 == 0 ? 0 : 0.5;
    }
    size_t out = 0;
    for (int t = 0; t < 2; t++) {
        const struct sketch_observation o = { MUCH, row, z, 4, lambda, counted, d };
        double b = sketch_observe(&sketch, &o), inside = 0, outside = 0;
        for (size_t e = 0; e < MUCH; e++) {
            bool has = sketch_slot(&sketch, row[e]) < SKETCH_SLOTS;
            double own = has || z[e] == 0 ? 0 : lambda + counted[row[e]];
            hold(d[e] == own, "slots", "d", d[e], own);
            inside += has ? 4 * z[e] * z[e] / lambda : 0;
            outside += has ? 0 : 4 * z[e] * z[e] / (lambda + counted[row[e]]);
            out += t == 0 && !has && z[e] != 0;
            counted[row[e]] += 4 * z[e] * z[e];
        }
        /* the second time the first vector takes its part: s - s s / (1 + s) */
        near("b", b, 1 + outside + (t ? inside / (1 + inside) : inside), b);
    }
    hold(sketch.slots == SKETCH_SLOTS, "slots", "how many", sketch.slots, SKETCH_SLOTS);
    hold(out == MUCH - MUCH / 7 - 1 - SKETCH_SLOTS, "slots", "rows without", out, 0);
    sketch_close(&sketch);
}

/* Numbers so large that no digit is left of what a second look at them adds: b is at least 1, and
 * all that is kept is finite. */
static void check_large(void)
{
    static const double size[] = { 1e9, 1e60, 1e140 };
    for (size_t i = 0; i < COUNT(size); i++) {
        struct sketch sketch = { .slots = 0 };
        struct fault fault;
        double counted[N] = { 0 };
        must(sketch_reach(&sketch, N, &fault), &fault);
        for (int t = 0; t < 100; t++) {
            const uint32_t row[] = { 2, 5, 7 };
            const double z[] = { size[i], size[i] / 3, size[i] / 7 };
            double d[COUNT(z)];
            double b = sketch_observe(&sketch, &(struct sketch_observation){ 3, row, z, 1, lambda,
                                                                             counted, d });
            hold(b >= 1 && isfinite(b), "large", "b", b, 1);
            for (size_t s = 0; s < sketch.slots; s++)
                hold(isfinite(sketch.gain[s]), "large", "gain", sketch.gain[s], 0);
            for (size_t e = 0; e < COUNT(row); e++)
                counted[row[e]] += z[e] * z[e];
        }
        sketch_close(&sketch);
    }
}

/* ---- a wide regression ---- */

struct numbers {
    double w[DIM], level[DIM], constant, counted[2 * DIM + 1];
    double inverse[(2 * DIM + 1) * (DIM + 1)];
    struct wide wide;
    struct regression regression;
};

static void start_regression(struct numbers *my, bool wide, bool plain, bool constant, size_t dim)
{
    memset(my, 0, sizeof *my);
    size_t rows = regression_rows(dim, plain) + constant;
    for (size_t i = 0; i < rows; i++)
        my->inverse[(i + 1) * (i + 2) / 2 - 1] = 1;
    my->regression = (struct regression){ .dim = dim, .plain = plain, .lambda = lambda, .w = my->w,
                                          .level = my->level, .inverse = my->inverse,
                                          .constant = constant ? &my->constant : NULL,
                                          .wide = wide ? &my->wide : NULL,
                                          .counted = my->counted };
}

static struct matrix matrix_of(const struct made *made, size_t docs, size_t dim, bool sparse)
{
    struct matrix x = { .kind = sparse ? MATRIX_SPARSE : MATRIX_DENSE, .docs = docs, .dim = dim,
                        .x = (const unsigned char *)made->x,
                        .ptr = (const unsigned char *)made->ptr,
                        .idx = (const unsigned char *)made->idx,
                        .val = (const unsigned char *)made->val };
    return x;
}

/* Of 30 documents all is as with P; a sparse form, and features that are all 0, change no bit. */
static void check_wide(struct rng *rng, bool plain, bool constant)
{
    static struct numbers full, wide, sparse;
    static struct made made;
    struct fault fault;
    size_t dim = 3 + rng_below(rng, 8);
    start_regression(&full, false, plain, constant, dim);
    start_regression(&wide, true, plain, constant, dim);
    start_regression(&sparse, true, plain, constant, DIM);
    for (size_t t = 0; t < 30; t++) {
        struct query query;
        draw_features(rng, &query, 2 + rng_below(rng, DOCS - 1), dim, draw_unit);
        made.ptr[0] = 0;
        for (size_t i = 0; i < query.docs; i++) {
            made.ptr[i + 1] = made.ptr[i];
            for (size_t j = 0; j < dim; j++) {
                made.x[i * dim + j] = query.x[i][j];
                if (query.x[i][j] == 0 && j % 2)
                    continue; /* some zeros are listed */
                made.idx[made.ptr[i + 1]] = (uint32_t)j;
                made.val[made.ptr[i + 1]++] = query.x[i][j];
            }
        }
        struct numbers *all[] = { &full, &wide, &sparse };
        struct matrix x[] = { matrix_of(&made, query.docs, dim, false),
                              matrix_of(&made, query.docs, dim, false),
                              matrix_of(&made, query.docs, DIM, true) };
        size_t d = rng_below(rng, (uint32_t)query.docs);
        double much = 0.5 + rng_unit(rng), worth = rng_unit(rng), expected[3];
        for (size_t i = 0; i < COUNT(all); i++) {
            struct regression *regression = &all[i]->regression;
            must(regression_round(regression, &x[i], &fault), &fault);
            must(regression_finite(regression, d, &fault), &fault);
            expected[i] = regression_expect(regression, d);
            must(regression_learn(regression, d, worth, much, &fault), &fault);
            regression_add_squares(regression, much, all[i]->counted);
            must(regression_check(regression, &fault), &fault);
        }
        near("expected", expected[1], expected[0], 1);
        near("spread", wide.regression.spread, full.regression.spread, 1);
        hold(expected[2] == expected[1], "wide", "expected, sparse", expected[2], expected[1]);
        hold(sparse.regression.spread == wide.regression.spread, "wide", "spread, sparse",
             sparse.regression.spread, wide.regression.spread);
        for (size_t j = 0; j < dim; j++) {
            near("w", wide.w[j], full.w[j], 1);
            near("level", wide.level[j], full.level[j], 1);
            hold(sparse.w[j] == wide.w[j], "wide", "w, sparse", sparse.w[j], wide.w[j]);
        }
        near("constant", wide.constant, full.constant, 1);
        for (size_t r = 0; r < 2 * dim + 1; r++)
            hold(wide.counted[r] == full.counted[r], "wide", "counted", wide.counted[r],
                 full.counted[r]);
    }
    struct numbers *all[] = { &full, &wide, &sparse };
    for (size_t i = 0; i < COUNT(all); i++) {
        regression_close(&all[i]->regression);
        wide_close(&all[i]->wide);
    }
}

int main(void)
{
    struct rng rng = rng_at(35, RNG_GAME, 1);
    for (size_t i = 0; i < 6; i++)
        check(&rng, 0, 100);
    for (size_t dims = 1; dims <= 20; dims++)
        check(&rng, dims, 150);
    check_blocks(&rng);
    check_saving(&rng);
    for (size_t i = 1; i <= 40; i++)
        check_sums(&rng, i);
    check_slots();
    check_large();
    for (size_t i = 0; i < 40; i++)
        check_wide(&rng, i % 2, i / 2 % 2);
    return wrong > 0;
}
