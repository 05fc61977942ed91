/*
 * The kernels of every kind that runs here give the same bits as sums written out plainly here:
 * products with dense rows and with doubles, sums of rows, differences, neighbours, variances,
 * observations of a factor, directions of a sketch, rankings, hashes, scaled features. Dense
 * features are changed to the same as sparse ones. Numbers that are not finite are found.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feature/steps.h"
#include "kernels/kernels.h"
#include "math/finite.h"
#include "math/order.h"
#include "math/rng.h"

enum { DOCS = 40, DIM = 150, ROWS = 90, OBSERVED = 20, LANES = 16, FOUR = 4, TRIALS = 60 };
enum { APART = 200 };

static unsigned long cases, wrong;

static void same(const char *what, size_t n, const void *got, const void *want, size_t bytes)
{
    cases++;
    if (memcmp(got, want, bytes) == 0)
        return;
    if (wrong++ < 10)
        fprintf(stderr, "kernels: %s, %zu, %s: other bits\n", what, n, kernels->name);
}

/* Numbers of many sizes, some of them 0 or -0. */
static double draw(struct rng *rng)
{
    static const double size[] = { 1, 1, 1e-3, 1e3, 1e-150, 1e9, 0, -0.0 };
    return (2 * rng_unit(rng) - 1) * size[rng_below(rng, 8)];
}

/* Floats of a round, of many sizes. */
static void draw_features(struct rng *rng, unsigned char *x, size_t n)
{
    static const float size[] = { 1, 1, 1, 1e-30F, 1e30F, 0, -0.0F, 1 };
    for (size_t i = 0; i < n; i++) {
        float f = (float)(2 * rng_unit(rng) - 1) * size[rng_below(rng, 8)];
        memcpy(x + 4 * i, &f, sizeof f);
    }
}

static double feature(const unsigned char *x, size_t i)
{
    float f;
    memcpy(&f, x + 4 * i, sizeof f);
    return f;
}

/* ---- dense ---- */

static double sum_lanes(double lane[LANES])
{
    for (size_t half = LANES / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

static double times(const struct dense *dense, size_t i, const double *w)
{
    double lane[LANES] = { 0 };
    for (size_t j = 0; j < dense->n; j++)
        lane[j % LANES] += feature(dense->x, i * dense->dim + j) * w[j];
    return sum_lanes(lane);
}

static void check_dense(struct rng *rng)
{
    static unsigned char bytes[4 * DOCS * DIM + 8];
    size_t dim = 1 + rng_below(rng, DIM), off = rng_below(rng, 8);
    struct dense dense = { bytes + off, rng_below(rng, DOCS + 1), dim,
                           rng_below(rng, 4) ? dim : rng_below(rng, (uint32_t)dim + 1) };
    double w[DIM], g[DOCS], z[DIM], want[DOCS], sum[DIM], got[DOCS + 1];
    draw_features(rng, bytes + off, dense.docs * dim);
    for (size_t j = 0; j < DIM; j++)
        w[j] = draw(rng);
    for (size_t i = 0; i < DOCS; i++)
        g[i] = rng_below(rng, 3) ? draw(rng) : 0;
    memcpy(sum, w, sizeof sum);
    for (size_t i = 0; i < dense.docs; i++) {
        want[i] = times(&dense, i, w);
        for (size_t j = 0; g[i] != 0 && j < dense.n; j++)
            sum[j] += g[i] * feature(dense.x, i * dim + j);
    }
    got[dense.docs] = 7;
    kernels->dense_times(&dense, w, got);
    same("products of rows", dim, got, want, dense.docs * sizeof *got);
    same("after the products", dim, &got[dense.docs], &(double){ 7 }, sizeof *got);
    memcpy(z, w, sizeof z);
    kernels->dense_add(&dense, g, z);
    same("sums of rows", dim, z, sum, sizeof z);
}

/* ---- rows of doubles ---- */

static void check_doubles(struct rng *rng, size_t n)
{
    static unsigned char bytes[8 * DIM + 8];
    unsigned char *a = bytes + rng_below(rng, 8), *b = a + 4 * n;
    double x[DIM + 1], y[DIM + 1], d[DIM + 1], sum[DIM + 1], apart[DIM + 1], lane[LANES] = { 0 };
    double by = draw(rng);
    draw_features(rng, a, 2 * n);
    for (size_t j = 0; j <= DIM; j++) {
        x[j] = j < n ? draw(rng) : NAN;
        d[j] = apart[j] = y[j] = sum[j] = draw(rng);
    }
    for (size_t j = 0; j < n; j++) {
        lane[j % LANES] += x[j] * y[j];
        sum[j] += by * x[j];
        apart[j] = feature(a, j) - feature(b, j);
    }
    double want = sum_lanes(lane), got = kernels->dot(x, y, n);
    same("products of doubles", n, &got, &want, sizeof got);
    kernels->add_times(by, x, y, n);
    same("sums of doubles", n, y, sum, sizeof y);
    kernels->difference(a, b, n, d);
    same("differences", n, d, apart, sizeof d);
}

/* ---- hashes ---- */

/* Eight texts of n bytes after `there` others. */
static void check_hashes(struct rng *rng, unsigned there, unsigned n)
{
    uint64_t low[SIPHASH_EIGHT], high[SIPHASH_EIGHT], got[SIPHASH_EIGHT], want[SIPHASH_EIGHT];
    struct siphash begun = siphash_start(rng_bits(rng), rng_bits(rng));
    siphash_add(&begun, "a query that has a name", there);
    for (size_t i = 0; i < SIPHASH_EIGHT; i++) {
        struct siphash whole = begun;
        unsigned char text[16] = { 0 };
        for (unsigned b = 0; b < n; b++)
            text[b] = (unsigned char)rng_bits(rng);
        low[i] = high[i] = 0;
        for (unsigned b = 0; b < 8; b++) {
            low[i] |= (uint64_t)text[b] << 8 * b;
            high[i] |= (uint64_t)text[8 + b] << 8 * b;
        }
        siphash_add(&whole, text, n);
        want[i] = siphash_end(&whole);
    }
    kernels->siphash_eight(&begun, low, high, n, got);
    same("hashes", n, got, want, sizeof got);
}

/* ---- nearness ---- */

static float by_halves(float lane[NEARNESS_OTHERS])
{
    for (size_t half = NEARNESS_OTHERS / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

/* 2^-t: near the library's exp2, and by nearness.h to the bit. */
static float power(float t)
{
    static const float term[] = { 1.5403530e-4f, 1.3333558e-3f, 9.6181291e-3f, 5.5504109e-2f,
                                  2.4022651e-1f, 6.9314718e-1f, 1 };
    float y = t < 120 ? -t : -120, n = rintf(y), p = term[0];
    for (size_t i = 1; i < 7; i++)
        p = p * (y - n) + term[i];
    p = ldexpf(p, (int)n);
    cases++;
    if (!(fabs(p / exp2((double)y) - 1) < 4e-7) && wrong++ < 10)
        fprintf(stderr, "kernels: 2^-%g is %g\n", (double)t, (double)p);
    return p;
}

static void nearness_plainly(const struct nearness *near, double *a, double *b)
{
    for (size_t d = 0; d < near->docs; d++) {
        float said[NEARNESS_OTHERS], weight[NEARNESS_OTHERS];
        for (size_t l = 0; l < NEARNESS_OTHERS; l++) {
            float r = 0;
            for (size_t j = 0; j < near->rows.n; j++) {
                float apart = near->other[NEARNESS_OTHERS * j + l] -
                              (float)feature(near->rows.x, near->doc[d] * near->rows.stride + j);
                r += apart * apart;
            }
            weight[l] = power(r * near->scale) * near->counts[l];
            said[l] = weight[l] * near->e[l];
        }
        a[d] += (double)by_halves(said);
        b[d] += (double)by_halves(weight);
    }
}

static double spread_plainly(const struct nearness_rows *rows, size_t docs, const float *mean)
{
    double all[NEARNESS_OTHERS] = { 0 };
    for (size_t i = 0; i < docs; i++) {
        float lane[NEARNESS_OTHERS] = { 0 };
        for (size_t j = 0; j < rows->n; j++) {
            float apart = (float)feature(rows->x, i * rows->stride + j) - mean[j];
            lane[j % NEARNESS_OTHERS] += apart * apart;
        }
        for (size_t l = 0; l < NEARNESS_OTHERS; l++)
            all[l] += (double)lane[l];
    }
    return sum_lanes(all);
}

static void check_nearness(struct rng *rng)
{
    static unsigned char bytes[4 * DOCS * DIM + 8];
    static float other[NEARNESS_OTHERS * DIM], mean[DIM + NEARNESS_OTHERS];
    static const float scales[] = { 0, 0.01F, 1, 30, 3e38F };
    float e[NEARNESS_OTHERS], counts[NEARNESS_OTHERS];
    uint32_t doc[DOCS];
    double got[2][DOCS] = { { 0 } }, want[2][DOCS] = { { 0 } };
    size_t dim = 1 + rng_below(rng, DIM), off = rng_below(rng, 8), docs = 0;
    draw_features(rng, bytes + off, DOCS * dim);
    for (size_t j = 0; j < NEARNESS_OTHERS * dim; j++)
        other[j] = rng_below(rng, 9) ? (float)rng_unit(rng) : 1e25F;
    for (size_t j = 0; j < DIM + NEARNESS_OTHERS; j++)
        mean[j] = j < dim ? (float)rng_unit(rng) : 0;
    for (size_t l = 0; l < NEARNESS_OTHERS; l++) {
        counts[l] = rng_below(rng, 4) > 0;
        e[l] = (float)(2 * rng_unit(rng) - 1);
    }
    for (uint32_t i = 0; i < DOCS; i++)
        if (rng_below(rng, 3))
            doc[docs++] = i;
    const struct nearness near = {
        .rows = { bytes + off, dim, dim }, .docs = docs, .doc = doc, .other = other, .e = e,
        .counts = counts, .scale = scales[rng_below(rng, 5)],
    };
    kernels->nearness(&near, got[0], got[1]);
    nearness_plainly(&near, want[0], want[1]);
    same("what neighbours say", dim, got, want, sizeof got);
    double sum = kernels->spread(&near.rows, DOCS, mean);
    same("a spread", dim, &sum, &(double){ spread_plainly(&near.rows, DOCS, mean) }, sizeof sum);
}

/* ---- the factor ---- */

static void draw_factor(struct rng *rng, size_t n, double *a)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i <= k; i++)
            *a++ = i == k ? 0.1 + rng_unit(rng) : 2 * rng_unit(rng) - 1;
}

/* (U'z)_c, as variances.h says. */
static double project(const double *column, size_t c, const double *z)
{
    double lane[FOUR] = { 0 }, f;
    size_t top = c - c % FOUR;
    for (size_t i = 0; i < top; i++)
        lane[i % FOUR] += column[i] * z[i];
    f = (lane[0] + lane[2]) + (lane[1] + lane[3]);
    for (size_t i = top; i < c; i++)
        f += column[i] * z[i];
    return f + z[c];
}

static double variance(const double *a, size_t n, const double *z)
{
    double sum = 0;
    for (size_t c = 0; c < n; a += ++c) {
        double f = project(a, c, z);
        sum += a[c] * (f * f);
    }
    return sum;
}

static void check_variances(struct rng *rng, size_t n)
{
    enum { W = VARIANCES_ABREAST };
    static double a[ROWS * (ROWS + 1) / 2], abreast[W * ROWS], z[W][ROWS];
    double shared[ROWS + 1], want[W], got[W];
    for (unsigned sharing = 0; sharing < 2; sharing++) {
        draw_factor(rng, n, a);
        for (size_t d = 0; d < W; d++) {
            for (size_t i = 0; i < n; i++) {
                z[d][i] = sharing && d > 0 && i % 2 ? z[0][i] : draw(rng);
                abreast[W * i + d] = z[d][i];
            }
            want[d] = variance(a, n, z[d]);
        }
        shared[n] = 7;
        variances_shared(a, n, z[0], shared);
        same("after what is shared", n, &shared[n], &(double){ 7 }, sizeof *shared);
        kernels->variances(a, n, abreast, sharing ? shared : NULL, got);
        same(sharing ? "variances, half shared" : "variances", n, got, want, sizeof got);
    }
}

/* One observation, column by column (Bierman 1977). */
static double observe(double *a, size_t n, const double *z, double alpha, double *u)
{
    for (size_t c = 0; c < n; a += ++c) {
        double f = project(a, c, z), g = a[c] * f, next = alpha + f * g, by = 0 - f / alpha;
        a[c] *= alpha / next;
        for (size_t i = 0; i < c; i++) {
            double p = a[i];
            a[i] = p + u[i] * by;
            u[i] += p * g;
        }
        u[c] = g;
        alpha = next;
    }
    return alpha;
}

static void check_observations(struct rng *rng, size_t n, size_t k)
{
    enum { NUMBERS = 2 * ROWS * (2 * ROWS + 1) / 2 };
    static double a[NUMBERS], want[NUMBERS], before[NUMBERS];
    static double z[OBSERVED][2 * ROWS], u[OBSERVED][2 * ROWS], right[OBSERVED][2 * ROWS];
    struct udu_observation o[OBSERVED];
    double b[OBSERVED];
    size_t bytes = n * (n + 1) / 2 * sizeof *a;
    draw_factor(rng, n, before);
    memcpy(want, before, bytes);
    for (size_t e = 0; e < k; e++) {
        for (size_t i = 0; i < n; i++)
            z[e][i] = rng_below(rng, 4) ? 2 * rng_unit(rng) - 1 : 0;
        b[e] = observe(want, n, z[e], 0.5 + (double)e, right[e]);
    }
    memcpy(a, before, bytes);
    for (size_t e = 0; e < k; e++)
        o[e] = (struct udu_observation){ z[e], 0.5 + (double)e, u[e], 0 };
    kernels->observe(a, n, o, k);
    same("the factor after observations", n, a, want, bytes);
    for (size_t e = 0; e < k; e++) {
        same("b of an observation", n, &o[e].b, &b[e], sizeof b[e]);
        same("P z of an observation", n, u[e], right[e], n * sizeof **u);
    }
}

/* ---- directions ---- */

enum { VECTORS = DIRECTIONS_MOST, KEPT = DIRECTIONS_KEPT };

/* x.y of n numbers, 16 or 32, by lanes. */
static double by_lanes(const double *x, const double *y, size_t n)
{
    double lane[LANES] = { 0 };
    for (size_t l = 0; l < LANES; l++)
        lane[l] = n > LANES ? x[l] * y[l] + x[l + LANES] * y[l + LANES] : x[l] * y[l];
    for (size_t half = LANES / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

static void check_directions(struct rng *rng, size_t n)
{
    static double v[ROWS][VECTORS], before[ROWS][VECTORS], product[VECTORS][VECTORS], t[VECTORS];
    double d[ROWS], part[ROWS], a[ROWS], beta[VECTORS], gain[ROWS], got[ROWS], q[VECTORS][KEPT];
    struct directions directions = { n, v, d, part };
    for (size_t i = 0; i < n; i++) {
        d[i] = 0.5 + rng_unit(rng);
        part[i] = 1 / d[i];
        a[i] = draw(rng);
        for (size_t k = 0; k < VECTORS; k++)
            v[i][k] = rng_below(rng, 4) ? draw(rng) : 0;
    }
    for (size_t k = 0; k < VECTORS; k++) {
        beta[k] = 2 * rng_unit(rng) - 1;
        for (size_t l = 0; l < KEPT; l++)
            q[k][l] = 2 * rng_unit(rng) - 1;
    }
    double self = 0, want[VECTORS] = { 0 }, whole = kernels->directions->project(&directions, a, t);
    for (size_t i = 0; i < n; i++) {
        self += a[i] * (a[i] * part[i]);
        for (size_t k = 0; k < VECTORS; k++)
            want[k] += v[i][k] * (a[i] * part[i]);
        gain[i] = (a[i] - by_lanes(v[i], beta, VECTORS)) * part[i];
    }
    same("a'D^-1 a", n, &whole, &self, sizeof self);
    same("V D^-1 a", n, t, want, sizeof t);
    kernels->directions->gain(&directions, a, beta, got);
    same("gain", n, got, gain, n * sizeof *gain);
    kernels->directions->products(&directions, VECTORS - 1, product);
    for (size_t k = 0; k < VECTORS - 1; k++) { /* each as that of an observation */
        for (size_t i = 0; i < n; i++)
            a[i] = v[i][k];
        double alone = kernels->directions->project(&directions, a, t);
        same("products", n, product[k], t, (k + 1) * sizeof *t);
        same("a product with itself", n, &product[k][k], &alone, sizeof alone);
    }
    memcpy(before, v, sizeof v);
    memcpy(gain, d, sizeof d);
    kernels->directions->fold(&directions, q);
    for (size_t i = 0; i < n; i++) {
        double fresh[VECTORS] = { 0 };
        for (size_t e = 0; e < VECTORS; e++)
            for (size_t k = 0; k < KEPT; k++)
                fresh[k] += before[i][e] * q[e][k];
        same("what is kept", n, v[i], fresh, sizeof fresh);
        double lost = by_lanes(before[i], before[i], VECTORS) - by_lanes(fresh, fresh, KEPT);
        gain[i] += lost > 0 ? lost : 0;
        same("D", n, &d[i], &gain[i], sizeof gain[i]);
        self = 1 / gain[i];
        same("the inverse of D", n, &part[i], &self, sizeof self);
    }
}

/* ---- rankings ---- */

static void check_order(struct rng *rng, size_t m)
{
    enum { MOST = 600 };
    double s[MOST];
    uint32_t want[MOST], got[MOST], scratch[MOST], grades = 1 + rng_below(rng, 2 * (uint32_t)m + 1);
    for (size_t i = 0; i < m; i++) {
        s[i] = rng_below(rng, grades);
        s[i] = s[i] == 0 && i % 2 ? -0.0 : s[i] == 1 ? -INFINITY : s[i];
    }
    for (size_t i = 0; i < m; i++) {
        size_t before = 0;
        for (size_t j = 0; j < m; j++)
            before += s[j] > s[i] || (s[j] == s[i] && j < i);
        want[before] = (uint32_t)i;
    }
    order_by_score(m, s, got, scratch);
    same("ranking", m, got, want, m * sizeof *got);
}

/* ---- features ---- */

/* The same features in the sparse form, without zeros. */
static struct matrix as_sparse(const struct matrix *x)
{
    static uint32_t ptr[DOCS + 1], idx[DOCS * DIM];
    static float val[DOCS * DIM];
    uint32_t n = 0;
    for (size_t i = 0; i < x->docs; i++) {
        for (size_t j = 0; j < x->dim; j++) {
            float f = (float)feature(x->x, i * x->dim + j);
            if (f == 0)
                continue;
            idx[n] = (uint32_t)j;
            val[n++] = f;
        }
        ptr[i + 1] = n;
    }
    return (struct matrix){ .form = MATRIX_SPARSE, .docs = x->docs, .dim = x->dim,
                            .ptr = (const unsigned char *)ptr, .idx = (const unsigned char *)idx,
                            .val = (const unsigned char *)val };
}

static void compare_steps(const char *list, const struct matrix *x)
{
    struct steps one = { 0 }, other = { 0 };
    struct fault fault = { 0 }, why = { 0 };
    struct matrix y, want, z = as_sparse(x);
    steps_parse(&one, list, &steps_usual, &fault);
    steps_parse(&other, list, &steps_usual, &fault);
    int done = steps_apply(&one, x, &y, &fault), right = steps_apply(&other, &z, &want, &why);
    same(list, x->dim, &done, &right, sizeof done);
    if (done == 0 && right == 0) {
        same(list, x->dim, &y.form, &want.form, sizeof y.form);
        if (y.form == want.form)
            same(list, x->dim, y.form == MATRIX_DENSE ? y.x : y.val,
                 y.form == MATRIX_DENSE ? want.x : want.val, 4 * matrix_entries(&want));
    } else {
        same(list, x->dim, fault.text, why.text, strlen(why.text) + 1);
    }
    steps_close(&one);
    steps_close(&other);
}

/* The features that a step makes of x, as rows. False with a fault. */
static bool made_by(const char *list, const struct matrix *x, float *got, size_t dim, size_t apart)
{
    struct steps steps = { 0 };
    struct fault fault = { 0 };
    struct matrix y;
    static double val[DIM * APART];
    static uint32_t idx[DIM * APART];
    steps_parse(&steps, list, &steps_usual, &fault);
    bool done = steps_apply(&steps, x, &y, &fault) == 0;
    memset(got, 0, x->docs * dim * sizeof *got);
    for (size_t i = 0; done && i < x->docs; i++) {
        struct row row = matrix_row(&y, i, val, idx);
        for (size_t e = 0; e < row.n; e++)
            if ((row.idx ? row.idx[e] : e) % apart == 0)
                got[i * dim + (row.idx ? row.idx[e] : e) / apart] = (float)row.val[e];
    }
    for (size_t j = 0; done && y.sum && j < dim; j++) {
        double sum = 0;
        for (size_t i = 0; i < x->docs; i++)
            sum += (double)got[i * dim + j];
        same("sum of a feature that was made", j, &y.sum[j], &sum, sizeof sum);
    }
    steps_close(&steps);
    return done;
}

/* Each scaled feature is (value - least) / (largest - least), by the inverse of the latter, and +0
 * where these are equal; a value that is not finite is refused. */
static void check_scale(const struct matrix *x)
{
    bool finite = true;
    static float want[DOCS * DIM], got[DOCS * DIM];
    for (size_t j = 0; j < x->dim; j++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < x->docs; i++) {
            double value = feature(x->x, i * x->dim + j);
            low = fmin(low, value);
            high = fmax(high, value);
            finite = finite && isfinite(value);
        }
        for (size_t i = 0; i < x->docs; i++) {
            double above = feature(x->x, i * x->dim + j) - low;
            want[i * x->dim + j] = above == 0 ? 0 : (float)(above * (1 / (high - low)));
        }
    }
    bool done = made_by("scale", x, got, x->dim, 1);
    same("scale of finite features", x->dim, &done, &finite, sizeof done);
    if (done && finite)
        same("scale by its definition", x->dim, got, want,
             x->docs * x->dim * sizeof *got);
}

/* Each rank is (smaller + (equal - 1) / 2) of its feature, less the least, over the largest less
 * the least. */
static void rank_plainly(const struct matrix *x, float *want)
{
    for (size_t j = 0; j < x->dim; j++) {
        double rank[DOCS], low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < x->docs; i++) {
            rank[i] = -1;
            for (size_t k = 0; k < x->docs; k++) {
                double one = feature(x->x, i * x->dim + j), other = feature(x->x, k * x->dim + j);
                rank[i] += 2 * (other < one) + (other == one);
            }
            low = fmin(low, rank[i]);
            high = fmax(high, rank[i]);
        }
        for (size_t i = 0; i < x->docs; i++)
            want[i * x->dim + j] = high > low ? (float)((rank[i] - low) * (1 / (high - low))) : 0;
    }
}

/* Features far apart, most of the others listed by no document, become the same. */
static void check_apart(const struct matrix *x)
{
    static float want[DOCS * DIM], got[DOCS * DIM], ranks[DOCS * DIM];
    static uint32_t idx[DOCS * DIM];
    size_t bytes = x->docs * x->dim * sizeof *got;
    struct matrix far = as_sparse(x);
    for (size_t e = 0; e < matrix_entries(&far); e++) {
        memcpy(&idx[e], far.idx + 4 * e, sizeof *idx);
        idx[e] *= APART;
    }
    far.idx = (const unsigned char *)idx;
    far.dim *= APART;
    bool done = made_by("scale", x, want, x->dim, 1);
    bool alike = made_by("scale", &far, got, x->dim, APART);
    same("scale of features far apart", x->dim, &alike, &done, sizeof done);
    same("scale of features far apart", x->dim, got, want, bytes);
    alike = made_by("rank", x, want, x->dim, 1);
    same("rank of finite features", x->dim, &alike, &done, sizeof done);
    if (!done)
        return;
    (void)made_by("rank", &far, got, x->dim, APART);
    rank_plainly(x, ranks);
    same("rank by its definition", x->dim, want, ranks, bytes);
    same("rank of features far apart", x->dim, got, ranks, bytes);
}

static void check_steps(struct rng *rng)
{
    enum { SMALL = 20 };
    static const float odd[] = { INFINITY, 0, -0.0F, -1e-38F, 3e38F, -3e38F, -INFINITY, NAN };
    unsigned char bytes[4 * DOCS * SMALL + 8], *x = bytes + rng_below(rng, 8);
    struct matrix dense = { .form = MATRIX_DENSE, .docs = 1 + rng_below(rng, DOCS),
                            .dim = 1 + rng_below(rng, SMALL), .x = x };
    size_t n = dense.docs * dense.dim;
    /* many zeros make the sparse form the smaller one; few values, none below 0, go by ranges */
    uint32_t zeros = 1 + rng_below(rng, rng_below(rng, 3) ? 6 : 40);
    double least = rng_below(rng, 2);
    for (size_t i = 0; i < n; i++) {
        float f = rng_below(rng, zeros) ? 0 : (float)((2 - least) * rng_unit(rng) - 1 + least);
        memcpy(x + 4 * i, rng_below(rng, 60) ? &f : &odd[1 + rng_below(rng, 3)], sizeof f);
    }
    if (rng_below(rng, 4) == 0)
        memcpy(x + 4 * rng_below(rng, (uint32_t)n), &odd[rng_below(rng, 8)], sizeof *odd);
    compare_steps("split", &dense);
    compare_steps("products", &dense);
    compare_steps("scale", &dense);
    check_scale(&dense);
    check_apart(&dense);
}

/* ---- numbers that are not finite ---- */

/* Of n numbers, the first that is not finite is found, wherever it is; what is around them is not
 * looked at. */
static void check_finite(size_t n)
{
    static const double odd[] = { INFINITY, -INFINITY, NAN };
    double s[ROWS + 2];
    for (size_t at = 0; at <= n; at++) {
        struct fault fault = { FAULT_NONE, "" }, want = { FAULT_NONE, "" };
        for (size_t i = 0; i < ROWS + 2; i++)
            s[i] = i == 0 || i > at ? odd[at % 3] : i % 2 ? 1e308 : -1e308;
        if (at < n)
            (void)fault_data(&want, "document %zu scores %g: why", at, odd[at % 3]);
        (void)finite_scores(n, s + 1, "why", &fault);
        same("not finite", n, fault.text, want.text, sizeof fault.text);
    }
}

static void check_kernels(void)
{
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    for (size_t trial = 0; trial < TRIALS; trial++) {
        for (size_t i = 0; i < 20; i++)
            check_dense(&rng);
        for (size_t i = 0; i < 20; i++)
            check_nearness(&rng);
        for (size_t i = 0; i < 30; i++)
            check_steps(&rng);
    }
    for (size_t n = 0; n <= DIM; n++)
        check_doubles(&rng, n);
    for (unsigned n = 0; n <= 16; n++)
        for (unsigned there = 0; there < 20; there++)
            check_hashes(&rng, there, n);
    for (size_t n = 0; n <= ROWS; n++)
        check_variances(&rng, n);
    for (size_t n = 0; n <= 2 * ROWS; n += n < 20 || (n > 120 && n < 140) ? 1 : 7)
        for (size_t k = 1; k <= OBSERVED; k += k < 4 ? 1 : 8)
            check_observations(&rng, n, k);
    for (size_t n = 0; n <= ROWS; n++)
        check_directions(&rng, n);
    for (size_t m = 0; m < 600; m += m < 300 ? 1 : 37)
        check_order(&rng, m);
}

int main(void)
{
    for (size_t i = 0; kernels_that_run(i); i++) {
        kernels = kernels_that_run(i);
        check_kernels();
        printf("kernels: %lu comparisons, up to those of %s\n", cases, kernels->name);
    }
    for (size_t n = 0; n <= ROWS; n++)
        check_finite(n);
    if (wrong)
        fprintf(stderr, "kernels: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
