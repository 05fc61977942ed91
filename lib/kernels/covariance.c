#include "kernels/covariance.h"

#include <stdbool.h>
#include <string.h>

#include "kernels/vectors.h"

/* Numbers, and columns, that are handled at a time. */
enum { FOUR = 4 };
typedef double four __attribute__((vector_size(FOUR * sizeof(double))));

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

/* The columns from j on, four if there are as many. */
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

/* Adds to f = U'z of these columns what is from row `top` on. */
VECTORS_INLINE void project_rest(const struct columns *c, const double *z, double f[FOUR])
{
    for (size_t r = 0; r < c->n; r++) {
        for (size_t i = c->top; i < c->top + r; i++)
            f[r] += c->column[r][i] * z[i];
        f[r] += z[c->top + r];
    }
}

/* f = U'z of these columns. */
VECTORS_INLINE void project(const struct columns *c, const double *z, double f[FOUR])
{
    struct columns whole = *c;
    for (size_t r = c->n; r < FOUR; r++)
        whole.column[r] = whole.column[0];
    dots(&whole, z, f);
    project_rest(c, z, f);
}

/* Updates the diagonal of these columns. alpha grows from r, before the first column, to b. */
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

/* Writes each number of a change into all lanes of a vector. */
VECTORS_INLINE void spread_change(const struct change *change, four by[FOUR], four g[FOUR])
{
    for (size_t r = 0; r < FOUR; r++) {
        const double b = change->by[r], e = change->g[r];
        const double bs[FOUR] = { b, b, b, b }, es[FOUR] = { e, e, e, e };
        take(&by[r], bs);
        take(&g[r], es);
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

/* Updates one column from row `from` on. */
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

/* Updates these columns; with z, the next observation's, f becomes U'z of them. */
VECTORS_INLINE void update(const struct columns *c, const struct change *change, double *u,
                           const double *z, double f[FOUR])
{
    bool whole = c->n == FOUR;
    if (whole && z)
        shift(c, change, u, z, f);
    else if (whole)
        shift(c, change, u, NULL, NULL);
    for (size_t r = 0; r < c->n; r++)
        shift_one(c, r, whole ? c->top : 0, change, u);
    if (whole && z)
        project_rest(c, z, f);
    else if (z)
        project(c, z, f);
}

VECTORS_INLINE void observe(double *a, size_t n, struct udu_observation *o)
{
    struct columns c = columns_at(a, n, 0), next = c;
    struct change change = { { 0 }, { 0 }, { 0 } }, ahead = change;
    o->b = o->r;
    if (n > 0)
        project(&c, o->z, change.f);
    for (size_t j = 0; j < n; j += FOUR, c = next, change = ahead) {
        if (j + FOUR < n) { /* independent of these columns, so it runs while they wait */
            next = columns_at(a, n, j + FOUR);
            project(&next, o->z, ahead.f);
        }
        o->b = weigh(&c, &change, o->b);
        update(&c, &change, o->u, NULL, NULL);
    }
}

/* Fewer rows lie near all the time, and then one observation at a time is as fast. */
enum { NEAR = 128 };

/* Takes all observations with each four columns, while these are near. */
VECTORS_INLINE void observe_all(double *a, size_t n, struct udu_observation *o, size_t k)
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
            o[e].b = weigh(&c, &change, o[e].b);
            update(&c, &change, o[e].u, e + 1 < k ? o[e + 1].z : NULL, next.f);
        }
    }
}

void covariance_portable(double *a, size_t n, struct udu_observation *o, size_t k)
{
    observe_all(a, n, o, k);
}

#if VECTORS_X86
VECTORS_AVX2 void covariance_avx2(double *a, size_t n, struct udu_observation *o, size_t k)
{
    observe_all(a, n, o, k);
}
#endif
