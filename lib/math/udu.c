#include "math/udu.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "math/vectors.h"

/* Numbers, and columns, that are processed together. */
enum { FOUR = 4 };
typedef double four __attribute__((vector_size(FOUR * sizeof(double))));

/* Four columns, or fewer at the end. All of them reach down to row `top`, and then each to its own
 * diagonal. */
struct columns {
    double *column[FOUR];
    size_t n, top;
};

/* What an observation does to a column: f = (U'z)_j, g = D_j f, and the factor of what came up to
 * it. */
struct change {
    double f[FOUR], g[FOUR], by[FOUR];
};

size_t udu_size(size_t n)
{
    size_t a = n % 2 ? n : n / 2, b = n % 2 ? n / 2 + 1 : n + 1;
    return n == SIZE_MAX || a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

/* The columns from j on: four, where there are as many. */
VECTORS_INLINE struct columns columns_at(double *a, size_t n, size_t j)
{
    struct columns c = { .n = n - j < FOUR ? n - j : FOUR, .top = j };
    a += j * (j + 1) / 2;
    for (size_t r = 0; r < c.n; a += j + ++r)
        c.column[r] = a;
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

/* f = U'z of these columns. */
VECTORS_INLINE void project(const struct columns *c, const double *z, double f[FOUR])
{
    struct columns whole = *c;
    for (size_t r = c->n; r < FOUR; r++)
        whole.column[r] = whole.column[0];
    dots(&whole, z, f);
    for (size_t r = 0; r < c->n; r++) {
        for (size_t i = c->top; i < c->top + r; i++)
            f[r] += c->column[r][i] * z[i];
        f[r] += z[c->top + r];
    }
}

/* The diagonal of these columns, alpha growing from r to b. */
VECTORS_INLINE double weigh(const struct columns *c, struct change *change, double alpha)
{
    for (size_t r = 0; r < c->n; r++) {
        double *d = c->column[r] + c->top + r, f = change->f[r];
        double next = alpha + f * (change->g[r] = *d * f);
        *d *= alpha / next;
        change->by[r] = 0 - f / alpha;
        alpha = next;
    }
    return alpha;
}

/* The rest of four columns, above row `top`. */
VECTORS_INLINE void shift(const struct columns *c, const struct change *change, double *u)
{
    four by[FOUR], g[FOUR], p, ui;
    for (size_t r = 0; r < FOUR; r++) {
        const double b = change->by[r], e = change->g[r];
        const double bs[FOUR] = { b, b, b, b }, es[FOUR] = { e, e, e, e };
        take(&by[r], bs);
        take(&g[r], es);
    }
    for (size_t i = 0; i < c->top; i += FOUR) {
        take(&ui, u + i);
        for (size_t r = 0; r < FOUR; r++) {
            take(&p, c->column[r] + i);
            four moved = p + ui * by[r];
            put(c->column[r] + i, &moved);
            ui += p * g[r];
        }
        put(u + i, &ui);
    }
}

/* The rest of a column from row `from` on. */
VECTORS_INLINE void shift_one(const struct columns *c, size_t r, size_t from,
                              const struct change *change, double *u)
{
    double *column = c->column[r];
    for (size_t i = from; i < c->top + r; i++) {
        double p = column[i];
        column[i] = p + u[i] * change->by[r];
        u[i] += p * change->g[r];
    }
    u[c->top + r] = change->g[r];
}

VECTORS_INLINE double observe(double *a, size_t n, const double *z, double alpha, double *u)
{
    struct columns c = columns_at(a, n, 0), next = c;
    struct change change = { { 0 }, { 0 }, { 0 } }, ahead = change;
    if (n > 0)
        project(&c, z, change.f);
    for (size_t j = 0; j < n; j += FOUR, c = next, change = ahead) {
        if (j + FOUR < n) { /* independent of these four, so the processor can overlap them */
            next = columns_at(a, n, j + FOUR);
            project(&next, z, ahead.f);
        }
        alpha = weigh(&c, &change, alpha);
        if (c.n == FOUR)
            shift(&c, &change, u);
        for (size_t r = 0; r < c.n; r++)
            shift_one(&c, r, c.n == FOUR ? c.top : 0, &change, u);
    }
    return alpha;
}

VECTORS_INLINE double variance(double *a, size_t n, const double *z)
{
    double sum = 0;
    for (size_t j = 0; j < n; j += FOUR) {
        struct columns c = columns_at(a, n, j);
        double f[FOUR];
        project(&c, z, f);
        for (size_t r = 0; r < c.n; r++)
            sum += c.column[r][c.top + r] * (f[r] * f[r]);
    }
    return sum;
}

VECTORS_WIDE static double observe_wide(double *a, size_t n, const double *z, double r, double *u)
{
    return observe(a, n, z, r, u);
}

VECTORS_WIDE static double variance_wide(double *a, size_t n, const double *z)
{
    return variance(a, n, z);
}

double udu_observe(double *a, size_t n, const double *z, double r, double *u)
{
    return vectors_wide() ? observe_wide(a, n, z, r, u) : observe(a, n, z, r, u);
}

double udu_variance(const double *a, size_t n, const double *z)
{
    return vectors_wide() ? variance_wide((double *)a, n, z) : variance((double *)a, n, z);
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
