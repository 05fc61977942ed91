#include "math/udu.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if VECTORS_HAVE_64
#include <immintrin.h>
#endif


/* Numbers, and columns, that are handled at a time. */
enum { FOUR = 4, EIGHT = 8 };
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

size_t udu_size(size_t n)
{
    size_t a = n % 2 ? n : n / 2, b = n % 2 ? n / 2 + 1 : n + 1;
    return n == SIZE_MAX || a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

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

/* Updates four columns from row `from` on to row `top`. */
VECTORS_INLINE void shift_from(const struct columns *c, const struct change *change, size_t from,
                               double *u)
{
    four by[FOUR], g[FOUR], p, ui;
    spread_change(change, by, g);
    for (size_t i = from; i < c->top; i += FOUR) {
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

/* The same, and goes on with the products of these columns with the next observation's z, as dots
 * does, from lane[FOUR][FOUR]. */
VECTORS_INLINE void pass_from(const struct columns *c, const struct change *change, size_t from,
                              double *u, const double *z, const double *lane, double f[FOUR])
{
    four by[FOUR], g[FOUR], s[FOUR], p, ui, zi;
    spread_change(change, by, g);
    for (size_t r = 0; r < FOUR; r++)
        take(&s[r], lane + FOUR * r);
    for (size_t i = from; i < c->top; i += FOUR) {
        take(&ui, u + i);
        take(&zi, z + i);
        for (size_t r = 0; r < FOUR; r++) {
            take(&p, c->column[r] + i);
            four moved = p + ui * by[r];
            put(c->column[r] + i, &moved);
            ui += p * g[r];
            s[r] += moved * zi;
        }
        put(u + i, &ui);
    }
    for (size_t r = 0; r < FOUR; r++)
        f[r] = sum(&s[r]);
}

/* Updates four columns above row `top`; with z, f becomes their products with it. */
typedef void pass_function(const struct columns *c, const struct change *change, double *u,
                           const double *z, double f[FOUR]);

VECTORS_INLINE void pass(const struct columns *c, const struct change *change, double *u,
                         const double *z, double f[FOUR])
{
    const double lane[FOUR * FOUR] = { 0 };
    if (z)
        pass_from(c, change, 0, u, z, lane, f);
    else
        shift_from(c, change, 0, u);
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
                           const double *z, pass_function *go, double f[FOUR])
{
    bool whole = c->n == FOUR;
    if (whole)
        go(c, change, u, z, f);
    for (size_t r = 0; r < c->n; r++)
        shift_one(c, r, whole ? c->top : 0, change, u);
    if (whole && z)
        project_rest(c, z, f);
    else if (z)
        project(c, z, f);
}

VECTORS_INLINE void observe(double *a, size_t n, struct udu_observation *o, pass_function *go)
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
        update(&c, &change, o->u, NULL, go, NULL);
    }
}

/* Fewer rows lie near all the time, and then one observation at a time is as fast. */
enum { NEAR = 128 };

/* Takes all observations with each four columns, while these are near. */
VECTORS_INLINE void observe_all(double *a, size_t n, struct udu_observation *o, size_t k,
                                pass_function *go)
{
    bool alone = k == 1 || n < NEAR;
    for (size_t e = 0; e < k; e++) {
        o[e].b = o[e].r;
        if (alone)
            observe(a, n, &o[e], go);
    }
    for (size_t j = 0; !alone && j < n; j += FOUR) {
        struct columns c = columns_at(a, n, j);
        struct change change = { { 0 }, { 0 }, { 0 } }, next = change;
        project(&c, o[0].z, change.f);
        for (size_t e = 0; e < k; e++, change = next) {
            o[e].b = weigh(&c, &change, o[e].b);
            update(&c, &change, o[e].u, e + 1 < k ? o[e + 1].z : NULL, go, next.f);
        }
    }
}

/* ---- kinds of machines ---- */

static void observe_all_portable(double *a, size_t n, struct udu_observation *o, size_t k)
{
    observe_all(a, n, o, k, pass);
}

VECTORS_WIDE static void observe_all_32(double *a, size_t n, struct udu_observation *o, size_t k)
{
    observe_all(a, n, o, k, pass);
}

#if VECTORS_HAVE_64
/* Adds to the lanes of two columns' products with z, which lie side by side. */
VECTORS_WIDEST static inline __m512d add_lanes(__m512d lanes, __m512d one, __m512d other,
                                               const double *z)
{
    __m512d low = _mm512_broadcast_f64x4(_mm256_loadu_pd(z));
    __m512d high = _mm512_broadcast_f64x4(_mm256_loadu_pd(z + FOUR));
    lanes = _mm512_add_pd(lanes, _mm512_mul_pd(_mm512_shuffle_f64x2(one, other, 0x44), low));
    return _mm512_add_pd(lanes, _mm512_mul_pd(_mm512_shuffle_f64x2(one, other, 0xee), high));
}

/* Not inlined, as the loop needs all registers. */
VECTORS_WIDEST __attribute__((noinline)) static void pass_64(const struct columns *c,
                                                             const struct change *change,
                                                             double *u, const double *z,
                                                             double f[FOUR])
{
    double *const column[] = { c->column[0], c->column[1], c->column[2], c->column[3] };
    __m512d by[FOUR], g[FOUR], moved[FOUR], first = _mm512_setzero_pd(), second = first;
    double lane[2 * EIGHT];
    const size_t top = c->top;
    size_t i = 0;
    for (size_t r = 0; r < FOUR; r++) {
        by[r] = _mm512_set1_pd(change->by[r]);
        g[r] = _mm512_set1_pd(change->g[r]);
    }
    for (; i + EIGHT <= top; i += EIGHT) {
        __m512d ui = _mm512_loadu_pd(u + i);
        for (size_t r = 0; r < FOUR; r++) {
            __m512d p = _mm512_loadu_pd(column[r] + i);
            moved[r] = _mm512_add_pd(p, _mm512_mul_pd(ui, by[r]));
            _mm512_storeu_pd(column[r] + i, moved[r]);
            ui = _mm512_add_pd(ui, _mm512_mul_pd(p, g[r]));
        }
        _mm512_storeu_pd(u + i, ui);
        for (size_t r = 0; !z && r < FOUR; r++) /* the next four columns, for the next pass */
            __builtin_prefetch((const void *)((uintptr_t)(column[r] + i) + 32 * (top + FOUR)));
        if (!z)
            continue;
        first = add_lanes(first, moved[0], moved[1], z + i);
        second = add_lanes(second, moved[2], moved[3], z + i);
    }
    _mm512_storeu_pd(lane, first);
    _mm512_storeu_pd(lane + EIGHT, second);
    if (z)
        pass_from(c, change, i, u, z, lane, f);
    else
        shift_from(c, change, i, u);
}

VECTORS_WIDEST static void observe_all_64(double *a, size_t n, struct udu_observation *o, size_t k)
{
    observe_all(a, n, o, k, pass_64);
}
#else
#define observe_all_64 observe_all_32
#endif

udu_function *udu_for(enum vectors kind)
{
    static udu_function *const kinds[VECTORS_KINDS] = {
        [VECTORS_PORTABLE] = observe_all_portable,
        [VECTORS_32] = observe_all_32,
        [VECTORS_64] = observe_all_64,
    };
    return kinds[kind];
}

double udu_observe(double *a, size_t n, const double *z, double r, double *u)
{
    struct udu_observation o = { z, r, u, 0 };
    udu_observe_all(a, n, &o, 1);
    return o.b;
}

void udu_observe_all(double *a, size_t n, struct udu_observation *o, size_t k)
{
    udu_for(vectors_best())(a, n, o, k);
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
