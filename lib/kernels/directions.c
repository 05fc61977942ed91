#include "kernels/directions.h"

#include <string.h>

#include "kernels/vectors.h"

enum { MOST = DIRECTIONS_MOST, KEPT = DIRECTIONS_KEPT, FOUR = 4 };
typedef double four __attribute__((vector_size(FOUR * sizeof(double))));

VECTORS_INLINE void take(four *to, const double *from)
{
    memcpy(to, from, sizeof *to);
}

VECTORS_INLINE void put(double *to, const four *from)
{
    memcpy(to, from, sizeof *from);
}

/* x in all lanes. */
VECTORS_INLINE void spread(four *to, double x)
{
    const double xs[FOUR] = { x, x, x, x };
    take(to, xs);
}

/* The sum of 16 lanes. */
VECTORS_INLINE double sum(four lane[4])
{
    const four s = (lane[0] + lane[2]) + (lane[1] + lane[3]);
    return (s[0] + s[2]) + (s[1] + s[3]);
}

/* v.x of 32 numbers. */
VECTORS_INLINE double dot(const double *v, const double *x)
{
    four lane[4], p, q;
    for (size_t l = 0; l < 4; l++) {
        take(&p, v + FOUR * l);
        take(&q, x + FOUR * l);
        lane[l] = p * q;
        take(&p, v + FOUR * (l + 4));
        take(&q, x + FOUR * (l + 4));
        lane[l] += p * q;
    }
    return sum(lane);
}

/* v.v of 16 numbers. */
VECTORS_INLINE double square(four v[4])
{
    four lane[4];
    for (size_t l = 0; l < 4; l++)
        lane[l] = v[l] * v[l];
    return sum(lane);
}

VECTORS_INLINE double project(const struct directions *my, const double *a, double t[MOST])
{
    four s[MOST / FOUR] = { { 0 } }, v, x;
    double self = 0;
    for (size_t i = 0; i < my->n; i++) {
        if (a[i] == 0)
            continue;
        double scaled = a[i] * my->part[i];
        spread(&x, scaled);
        for (size_t k = 0; k < MOST / FOUR; k++) {
            take(&v, my->v[i] + FOUR * k);
            s[k] += v * x;
        }
        self += a[i] * scaled;
    }
    for (size_t k = 0; k < MOST / FOUR; k++)
        put(t + FOUR * k, &s[k]);
    return self;
}

VECTORS_INLINE void gain(const struct directions *my, const double *a, const double beta[MOST],
                         double *gain)
{
    for (size_t i = 0; i < my->n; i++)
        gain[i] = (a[i] - dot(my->v[i], beta)) * my->part[i];
}

VECTORS_INLINE void fold(struct directions *my, double q[MOST][KEPT])
{
    for (size_t i = 0; i < my->n; i++) {
        four fresh[KEPT / FOUR] = { { 0 } }, x, by;
        double *v = my->v[i];
        for (size_t e = 0; e < MOST; e++) {
            spread(&x, v[e]);
            for (size_t k = 0; k < KEPT / FOUR; k++) {
                take(&by, q[e] + FOUR * k);
                fresh[k] += x * by;
            }
        }
        double lost = dot(v, v) - square(fresh);
        my->d[i] += lost > 0 ? lost : 0;
        my->part[i] = 1 / my->d[i];
        memset(v, 0, MOST * sizeof *v);
        for (size_t k = 0; k < KEPT / FOUR; k++)
            put(v + FOUR * k, &fresh[k]);
    }
}

VECTORS_INLINE void products(const struct directions *my, size_t vectors,
                             double product[MOST][MOST])
{
    memset(product, 0, MOST * sizeof *product);
    for (size_t i = 0; i < my->n; i++) {
        four v, p, x;
        for (size_t e = 0; e < vectors; e++) {
            spread(&x, my->v[i][e] * my->part[i]);
            for (size_t k = 0; k <= e / FOUR; k++) {
                take(&v, my->v[i] + FOUR * k);
                take(&p, product[e] + FOUR * k);
                p += v * x;
                put(product[e] + FOUR * k, &p);
            }
        }
    }
}

static double project_portable(const struct directions *my, const double *a, double t[MOST])
{
    return project(my, a, t);
}

static void gain_portable(const struct directions *my, const double *a, const double beta[MOST],
                          double *to)
{
    gain(my, a, beta, to);
}

static void fold_portable(struct directions *my, double q[MOST][KEPT])
{
    fold(my, q);
}

static void products_portable_of(const struct directions *my, size_t vectors,
                                 double product[MOST][MOST])
{
    products(my, vectors, product);
}

const struct directions_kernels directions_portable = { project_portable, gain_portable,
                                                        fold_portable, products_portable_of };

#if VECTORS_X86
VECTORS_AVX2 static double project_avx2(const struct directions *my, const double *a,
                                        double t[MOST])
{
    return project(my, a, t);
}

VECTORS_AVX2 static void gain_avx2(const struct directions *my, const double *a,
                                   const double beta[MOST], double *to)
{
    gain(my, a, beta, to);
}

VECTORS_AVX2 static void fold_avx2(struct directions *my, double q[MOST][KEPT])
{
    fold(my, q);
}

VECTORS_AVX2 static void products_avx2_of(const struct directions *my, size_t vectors,
                                          double product[MOST][MOST])
{
    products(my, vectors, product);
}

const struct directions_kernels directions_avx2 = { project_avx2, gain_avx2, fold_avx2,
                                                    products_avx2_of };
#endif
