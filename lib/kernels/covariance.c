#include "kernels/covariance.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernels/vectors.h"

/* Numbers, and columns, that are handled at a time. */
enum { FOUR = 4 };
typedef double four __attribute__((vector_size(FOUR * sizeof(double))));

/* ---- observations ---- */

/* Four columns, or fewer at the end. All have the rows above `top`; column r goes on to its
 * diagonal in row top + r. */
struct columns {
    double *column[FOUR];
    size_t n, top;
};

/* How an observation changes column j: f = (U'z)_j, g = D_j f, and `by`, the multiple of u that is
 * added to the column. */
struct change {
    double f[FOUR], g[FOUR], by[FOUR];
};

/* The columns from j on, four if there are as many; else the first of them is there again. */
VECTORS_INLINE struct columns columns_at(double *a, size_t n, size_t j)
{
    struct columns c = { .n = n - j < FOUR ? n - j : FOUR, .top = j };
    a += j * (j + 1) / 2;
    for (size_t r = 0; r < FOUR; r++)
        c.column[r] = r < c.n ? a + r * j + r * (r + 1) / 2 : a;
    return c;
}

VECTORS_INLINE void take(four *to, const double *from)
{
    memcpy(to, from, sizeof *to);
}

VECTORS_INLINE void put(double *to, const four *from)
{
    memcpy(to, from, sizeof *from);
}

VECTORS_INLINE double sum(const four *s)
{
    return ((*s)[0] + (*s)[2]) + ((*s)[1] + (*s)[3]);
}

/* The products of the columns' first `top` numbers with z, number i in lane i mod 4; top is a
 * multiple of four. */
VECTORS_INLINE void dots(const struct columns *c, const double *z, double f[FOUR])
{
    four s[FOUR] = { { 0 } }, p, zi;
    for (size_t i = 0; i < c->top; i += FOUR) {
        take(&zi, z + i);
        for (size_t r = 0; r < FOUR; r++) {
            take(&p, c->column[r] + i);
            s[r] += p * zi;
        }
    }
    for (size_t r = 0; r < FOUR; r++)
        f[r] = sum(&s[r]);
}

/* Adds to f = U'z of these columns what is from row `top` on. */
VECTORS_INLINE void project_rest(const struct columns *c, size_t n, const double *z, double f[FOUR])
{
    for (size_t r = 0; r < n; r++) {
        for (size_t i = c->top; i < c->top + r; i++)
            f[r] += c->column[r][i] * z[i];
        f[r] += z[c->top + r];
    }
}

/* f = U'z of these columns. */
VECTORS_INLINE void project(const struct columns *c, const double *z, double f[FOUR])
{
    dots(c, z, f);
    if (c->n == FOUR)
        project_rest(c, FOUR, z, f);
    else
        project_rest(c, c->n, z, f);
}

/* Updates the diagonal of these columns. alpha grows from r, before the first column, to b. */
VECTORS_INLINE double weigh(const struct columns *c, size_t n, struct change *change, double alpha)
{
    double D[FOUR] = { 0 };
    four f;
    for (size_t r = 0; r < n; r++)
        D[r] = c->column[r][c->top + r];
    take(&f, change->f);
    const four d = { D[0], D[1], D[2], D[3] }, g = d * f, more = f * g;
    double one = alpha + more[0], two = one + more[1], three = two + more[2];
    four before = { alpha, one, two, three }, after = { one, two, three, three + more[3] };
    const four left = d * (before / after);
    f = 0 - f / before;
    put(change->g, &g);
    put(change->by, &f);
    for (size_t r = 0; r < n; r++)
        c->column[r][c->top + r] = left[r];
    return after[3];
}

/* Writes each number of a change into all lanes of a vector. */
VECTORS_INLINE void spread_change(const struct change *change, four by[FOUR], four g[FOUR])
{
    for (size_t r = 0; r < FOUR; r++) {
        by[r] = (four){ 0 } + change->by[r];
        g[r] = (four){ 0 } + change->g[r];
    }
}

/* Updates four columns above row `top`. With z, the next observation's, f becomes the products of
 * these columns with it, as dots has them. */
VECTORS_INLINE void shift(const struct columns *c, const struct change *change, double *u,
                          const double *z, double f[FOUR])
{
    four by[FOUR], g[FOUR], s[FOUR] = { { 0 } }, p, ui, zi;
    spread_change(change, by, g);
    for (size_t i = 0; i < c->top; i += FOUR) {
        take(&ui, u + i);
        if (z)
            take(&zi, z + i);
        for (size_t r = 0; r < FOUR; r++) {
            take(&p, c->column[r] + i);
            four moved = p + ui * by[r];
            put(c->column[r] + i, &moved);
            ui += p * g[r];
            if (z)
                s[r] += moved * zi;
        }
        put(u + i, &ui);
    }
    for (size_t r = 0; z && r < FOUR; r++)
        f[r] = sum(&s[r]);
}

/* The same for one column. */
VECTORS_INLINE void shift_one(const struct columns *c, size_t r, const struct change *change,
                              double *u)
{
    for (size_t i = 0; i < c->top; i++) {
        double p = c->column[r][i];
        c->column[r][i] = p + u[i] * change->by[r];
        u[i] += p * change->g[r];
    }
}

/* Updates n columns from row `top` on. */
VECTORS_INLINE void shift_rest(const struct columns *c, size_t n, const struct change *change,
                               double *u)
{
    double v[FOUR];
    for (size_t r = 0; r < n; r++) {
        double *column = c->column[r] + c->top;
        for (size_t i = 0; i < r; i++) {
            double p = column[i];
            column[i] = p + v[i] * change->by[r];
            v[i] += p * change->g[r];
        }
        v[r] = change->g[r];
    }
    memcpy(u + c->top, v, n * sizeof *v);
}

/* Updates these columns and returns what alpha becomes; with z, the next observation's, f becomes
 * U'z of them. */
VECTORS_INLINE double update(const struct columns *c, struct change *change, double *u,
                             double alpha, const double *z, double f[FOUR])
{
    if (c->n < FOUR) {
        alpha = weigh(c, c->n, change, alpha);
        for (size_t r = 0; r < c->n; r++)
            shift_one(c, r, change, u);
        shift_rest(c, c->n, change, u);
        if (z)
            project(c, z, f);
        return alpha;
    }
    alpha = weigh(c, FOUR, change, alpha);
    if (z)
        shift(c, change, u, z, f);
    else
        shift(c, change, u, NULL, NULL);
    shift_rest(c, FOUR, change, u);
    if (z)
        project_rest(c, FOUR, z, f);
    return alpha;
}

VECTORS_INLINE void observe(double *a, size_t n, struct udu_observation *o)
{
    struct columns c = columns_at(a, n, 0), next = c;
    struct change change = { { 0 }, { 0 }, { 0 } }, ahead = change;
    double b = o->r;
    if (n > 0)
        project(&c, o->z, change.f);
    for (size_t j = 0; j < n; j += FOUR, c = next, change = ahead) {
        if (j + FOUR < n) { /* independent of these columns, so it runs while they wait */
            next = columns_at(a, n, j + FOUR);
            project(&next, o->z, ahead.f);
        }
        b = update(&c, &change, o->u, b, NULL, NULL);
    }
    o->b = b;
}

/* Fewer rows lie near all the time, and then one observation at a time is as fast. */
enum { NEAR = 128 };

/* Takes all observations with each four columns, while these are near. */
VECTORS_CLONES void covariance_observe(double *a, size_t n, struct udu_observation *o, size_t k)
{
    bool alone = k == 1 || n < NEAR;
    for (size_t e = 0; alone && e < k; e++)
        observe(a, n, &o[e]);
    for (size_t e = 0; !alone && e < k; e++)
        o[e].b = o[e].r;
    for (size_t j = 0; !alone && j < n; j += FOUR) {
        struct columns c = columns_at(a, n, j);
        struct change change = { { 0 }, { 0 }, { 0 } }, next = change;
        project(&c, o[0].z, change.f);
        for (size_t e = 0; e < k; e++, change = next) {
            const double *z = e + 1 < k ? o[e + 1].z : NULL;
            o[e].b = update(&c, &change, o[e].u, o[e].b, z, next.f);
        }
    }
}

/* ---- variances ---- */

/* Documents in a vector; columns at a time, and where two of four lanes are shared. */
enum { WIDTH = FOUR, COLUMNS = 2, SHARING = 4 };

/* Two columns and two lanes of each at a time: four sums that do not wait for each other. */
void covariance_shared(const double *a, size_t n, const double *z, double *shared)
{
    for (size_t c = 0; c < n; c += 2) {
        const double *one = a + c * (c + 1) / 2, *other = c + 1 < n ? one + c + 1 : one;
        double lane[4] = { 0 };
        for (size_t i = 0; i < c - c % FOUR; i += FOUR) {
            lane[0] += one[i + 1] * z[i + 1];
            lane[1] += one[i + 3] * z[i + 3];
            lane[2] += other[i + 1] * z[i + 1];
            lane[3] += other[i + 3] * z[i + 3];
        }
        shared[c] = lane[0] + lane[1];
        if (c + 1 < n)
            shared[c + 1] = lane[2] + lane[3];
    }
}

/* f[r] of `columns` columns from number c on, for four documents; step 2: lanes 1 and 3 are
 * shared. */
VECTORS_INLINE void project_abreast(const double *const *column, size_t columns, size_t c,
                                    const double *z, const double *shared, size_t step, four *f)
{
    const size_t top = c - c % FOUR, under = columns == FOUR ? 0 : c - top;
    four lane[FOUR][FOUR] = { { { 0 } } }, zi;
    for (size_t i = 0; i < top; i += FOUR) {
        for (size_t l = 0; l < FOUR / step; l++) {
            take(&zi, z + COVARIANCE_ABREAST * (i + step * l));
            for (size_t r = 0; r < columns; r++)
                lane[r][l] += zi * column[r][i + step * l];
        }
    }
    for (size_t r = 0; r < columns; r++) {
        f[r] = step == 1 ? (lane[r][0] + lane[r][2]) + (lane[r][1] + lane[r][3])
                         : (lane[r][0] + lane[r][1]) + shared[c + r];
        for (size_t i = 0; i < under + r; i++) {
            take(&zi, z + COVARIANCE_ABREAST * (top + i));
            f[r] += zi * column[r][top + i];
        }
        take(&zi, z + COVARIANCE_ABREAST * (c + r));
        f[r] += zi;
    }
}

/* sum += D f^2 of `columns` columns. */
VECTORS_INLINE void add_columns(const double *a, size_t columns, size_t c, const double *z,
                                const double *shared, size_t step, four *sum)
{
    const double *column[FOUR] = { a + c * (c + 1) / 2 };
    four f[FOUR];
    for (size_t r = 1; r < columns; r++)
        column[r] = column[r - 1] + c + r;
    project_abreast(column, columns, c, z, shared, step, f);
    for (size_t r = 0; r < columns; r++)
        *sum += f[r] * f[r] * column[r][c + r];
}

/* v[4], for the documents from z on. */
VECTORS_INLINE void sum_columns(const double *a, size_t n, const double *z, const double *shared,
                                size_t columns, size_t step, double *v)
{
    four sum = { 0 };
    size_t c = 0;
    for (; c + columns <= n; c += columns)
        add_columns(a, columns, c, z, shared, step, &sum);
    for (; c < n; c++)
        add_columns(a, 1, c, z, shared, step, &sum);
    put(v, &sum);
}

VECTORS_CLONES void covariance_variances(const double *a, size_t n, const double *z,
                                         const double *shared, double v[COVARIANCE_ABREAST])
{
    for (size_t d = 0; d < COVARIANCE_ABREAST; d += WIDTH) {
        if (shared)
            sum_columns(a, n, z + d, shared, SHARING, 2, v + d);
        else
            sum_columns(a, n, z + d, NULL, COLUMNS, 1, v + d);
    }
}

/* ---- products and the inverse ---- */

size_t udu_size(size_t n)
{
    size_t a = n % 2 ? n : n / 2, b = n % 2 ? n / 2 + 1 : n + 1;
    return n == SIZE_MAX || a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

void udu_spread(const double *a, size_t n, const double *x, double *y)
{
    for (size_t j = 0; j < n; a += ++j) {
        double by = sqrt(a[j]) * x[j];
        for (size_t i = 0; i < j; i++)
            y[i] += a[i] * by;
        y[j] = by;
    }
}

/* Column j: U above the diagonal, and there D. */
static double *column(double *a, size_t j)
{
    return a + j * (j + 1) / 2;
}

/* U becomes U^-1; D stays. */
static void invert_unit(double *a, size_t n)
{
    for (size_t j = 1; j < n; j++) {
        double *x = column(a, j);
        for (size_t k = 0; k < j; k++) { /* x = U^-1 x, with what is inverted already */
            const double *v = column(a, k);
            for (size_t i = 0; i < k; i++)
                x[i] += v[i] * x[k];
        }
        for (size_t i = 0; i < j; i++)
            x[i] = -x[i];
    }
}

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* P^-1 = V' D^-1 V with V = U^-1. The columns that come before are still V's, and so is x up to
 * where it is needed. */
void udu_to_inverse(double *a, size_t n)
{
    invert_unit(a, n);
    for (size_t j = n; j-- > 0;) {
        double *x = column(a, j), diagonal = 1 / x[j];
        for (size_t k = 0; k < j; k++) {
            double scaled = x[k] / column(a, k)[k];
            diagonal += x[k] * scaled;
            x[k] = scaled;
        }
        for (size_t i = j; i-- > 0;)
            x[i] += dot(column(a, i), x, i);
        x[j] = diagonal;
    }
}

/* V and D^-1 from V' D^-1 V, column by column. */
bool udu_of_inverse(double *a, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        double *x = column(a, j), left = x[j];
        for (size_t i = 0; i < j; i++)
            x[i] -= dot(column(a, i), x, i);
        for (size_t k = 0; k < j; k++) {
            double part = x[k] * column(a, k)[k];
            left -= x[k] * part;
            x[k] = part;
        }
        x[j] = 1 / left;
        if (!(left > 0) || !(x[j] > 0) || isinf(x[j]))
            return false;
    }
    invert_unit(a, n);
    return true;
}

void udu_times(const double *a, size_t n, const double *x, double *y)
{
    const double *u = a;
    for (size_t j = 0; j < n; u += ++j)
        y[j] = u[j] * (x[j] + dot(u, x, j)); /* D U' x */
    u = a;
    for (size_t j = 0; j < n; u += ++j)
        for (size_t i = 0; i < j; i++)
            y[i] += u[i] * y[j];
}

void udu_column(const double *a, size_t n, size_t k, double *x)
{
    const double *u = a + udu_size(k);
    for (size_t i = 0; i < n; i++)
        x[i] = 0;
    for (size_t j = k; j < n; u += ++j) {
        double f = u[j] * (j == k ? 1 : u[k]); /* D U' e_k */
        for (size_t i = 0; i < j; i++)
            x[i] += u[i] * f;
        x[j] += f;
    }
}

void udu_inverse_times(const double *a, size_t n, const double *x, double *y)
{
    for (size_t j = 0; j < n; a += ++j) {
        y[j] = a[j] * x[j] + dot(a, x, j);
        for (size_t i = 0; i < j; i++)
            y[i] += a[i] * x[j];
    }
}
