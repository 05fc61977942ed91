#include "kernels/doubles.h"

#include <string.h>

#include "base/unaligned.h"
#include "kernels/lanes.h"
#include "kernels/vectors.h"

#if VECTORS_X86
#include <immintrin.h>
#endif

enum { FOUR = 4 };
typedef double four __attribute__((vector_size(FOUR * sizeof(double))));

/* lane += x y of four numbers. */
VECTORS_INLINE void add_four(four *lane, const double *x, const double *y)
{
    four a, b;
    memcpy(&a, x, sizeof a);
    memcpy(&b, y, sizeof b);
    *lane += a * b;
}

/* lane += x y of fewer than four. */
VECTORS_INLINE void add_rest(four *lane, const double *x, const double *y, size_t n)
{
    four rest = { n > 0 ? x[0] * y[0] : 0, n > 1 ? x[1] * y[1] : 0, n > 2 ? x[2] * y[2] : 0, 0 };
    *lane += rest;
}

VECTORS_INLINE double dot(const double *x, const double *y, size_t n)
{
    four a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
    for (; n >= LANES; n -= LANES, x += LANES, y += LANES) {
        add_four(&a, x, y);
        add_four(&b, x + FOUR, y + FOUR);
        add_four(&c, x + 2 * FOUR, y + 2 * FOUR);
        add_four(&d, x + 3 * FOUR, y + 3 * FOUR);
    }
    size_t whole = n / FOUR, at = n - n % FOUR;
    if (whole > 0)
        add_four(&a, x, y);
    if (whole > 1)
        add_four(&b, x + FOUR, y + FOUR);
    if (whole > 2)
        add_four(&c, x + 2 * FOUR, y + 2 * FOUR);
    add_rest(whole == 0 ? &a : whole == 1 ? &b : whole == 2 ? &c : &d, x + at, y + at, n % FOUR);
    a = (a + c) + (b + d); /* as sum_lanes */
    return (a[0] + a[2]) + (a[1] + a[3]);
}

VECTORS_INLINE void add_times(double a, const double *restrict x, double *restrict y, size_t n)
{
    for (size_t j = 0; j < n; j++)
        y[j] += a * x[j];
}

VECTORS_INLINE void difference(const unsigned char *a, const unsigned char *b, size_t n,
                               double *restrict d)
{
    for (size_t j = 0; j < n; j++)
        d[j] = (double)unaligned_f4(a + j * sizeof(float)) -
               (double)unaligned_f4(b + j * sizeof(float));
}

double dot_portable(const double *x, const double *y, size_t n)
{
    return dot(x, y, n);
}

void add_times_portable(double a, const double *x, double *y, size_t n)
{
    add_times(a, x, y, n);
}

void difference_portable(const unsigned char *a, const unsigned char *b, size_t n, double *d)
{
    difference(a, b, n, d);
}

#if VECTORS_X86
/* The lower eight lanes, and the upper eight. */
VECTORS_AVX512 double dot_avx512(const double *x, const double *y, size_t n)
{
    __m512d lower = _mm512_setzero_pd(), upper = lower;
    for (; n > 0; x += LANES, y += LANES) {
        size_t some = n < LANES ? n : LANES;
        const unsigned mask = (1u << some) - 1;
        const __mmask8 low = (__mmask8)mask, high = (__mmask8)(mask >> 8);
        lower = _mm512_add_pd(lower, _mm512_mul_pd(_mm512_maskz_loadu_pd(low, x),
                                                   _mm512_maskz_loadu_pd(low, y)));
        upper = _mm512_add_pd(upper, _mm512_mul_pd(_mm512_maskz_loadu_pd(high, x + 8),
                                                   _mm512_maskz_loadu_pd(high, y + 8)));
        n -= some;
    }
    lower = _mm512_add_pd(lower, upper);
    __m256d a = _mm256_add_pd(_mm512_castpd512_pd256(lower), _mm512_extractf64x4_pd(lower, 1));
    __m128d b = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_add_sd(b, _mm_unpackhi_pd(b, b)));
}

VECTORS_AVX2 double dot_avx2(const double *x, const double *y, size_t n)
{
    return dot(x, y, n);
}

VECTORS_AVX2 void add_times_avx2(double a, const double *x, double *y, size_t n)
{
    add_times(a, x, y, n);
}

VECTORS_AVX2 void difference_avx2(const unsigned char *a, const unsigned char *b, size_t n,
                                  double *d)
{
    difference(a, b, n, d);
}
#endif
