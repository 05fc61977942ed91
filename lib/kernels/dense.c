#include "kernels/dense.h"

#include <stdint.h>
#include <string.h>

#include "base/unaligned.h"
#include "kernels/vectors.h"

#if VECTORS_X86
#include <immintrin.h>
#endif

/* Features are prefetched a page ahead: the machine's own prefetching stops at the page's end. */
enum { LINE = 64, PAGE = 4096 };

/* Rows at a time: they share what is read of the other factor. */
enum { ROWS = 4 };

VECTORS_INLINE const unsigned char *row_at(const struct dense *dense, size_t i)
{
    return dense->x + i * dense->dim * sizeof(float);
}

/* ---- products of rows and weights ---- */

/* Four lanes at a time, as vectors that the compiler maps to the machine's own. The sums in each
 * lane, and so the bits, are the same. */
typedef double four __attribute__((vector_size(4 * sizeof(double))));
typedef float four_floats __attribute__((vector_size(4 * sizeof(float))));

/* The sum of the lanes, as sum_lanes has it. */
VECTORS_INLINE double sum(const four *a, const four *b, const four *c, const four *d)
{
    const four s = (*a + *c) + (*b + *d);
    return (s[0] + s[2]) + (s[1] + s[3]);
}

/* sum += x w for four features. */
VECTORS_INLINE void add_four(four *sum, const unsigned char *x, const double *w)
{
    four_floats narrow;
    four by;
    memcpy(&narrow, x, sizeof narrow);
    memcpy(&by, w, sizeof by);
    *sum += __builtin_convertvector(narrow, four) * by;
}

/* sum += x w for fewer than four features. */
VECTORS_INLINE void add_rest(four *sum, const unsigned char *x, const double *w, size_t n)
{
    four rest = { n > 0 ? (double)unaligned_f4(x) * w[0] : 0,
                  n > 1 ? (double)unaligned_f4(x + 4) * w[1] : 0,
                  n > 2 ? (double)unaligned_f4(x + 8) * w[2] : 0, 0 };
    *sum += rest;
}

VECTORS_INLINE double times_row(const unsigned char *x, const double *w, size_t n)
{
    four a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
    for (; n >= LANES; n -= LANES, x += 4 * LANES, w += LANES) {
        add_four(&a, x, w);
        add_four(&b, x + 16, w + 4);
        add_four(&c, x + 32, w + 8);
        add_four(&d, x + 48, w + 12);
    }
    size_t whole = n / 4, rest = n % 4;
    if (whole > 0)
        add_four(&a, x, w);
    if (whole > 1)
        add_four(&b, x + 16, w + 4);
    if (whole > 2)
        add_four(&c, x + 32, w + 8);
    if (rest)
        add_rest(whole == 0 ? &a : whole == 1 ? &b : whole == 2 ? &c : &d, x + 16 * whole,
                 w + 4 * whole, rest);
    return sum(&a, &b, &c, &d);
}

VECTORS_INLINE void prefetch(const unsigned char *x, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += LINE)
        __builtin_prefetch((const void *)((uintptr_t)x + PAGE + at));
}

VECTORS_CLONES static void times(const struct dense *dense, const double *w, double *s)
{
    for (size_t i = 0; i < dense->docs; i++) {
        prefetch(row_at(dense, i), dense->dim * sizeof(float));
        s[i] = times_row(row_at(dense, i), w, dense->n);
    }
}

#if VECTORS_X86
/* Four rows in their lanes, the lower eight and the upper eight. */
struct lanes {
    __m512d lower[ROWS], upper[ROWS];
};

/* Adds up to sixteen features of each row; `mask` says which there are. */
VECTORS_AVX512 static inline void add_sixteen(struct lanes *lanes,
                                              const unsigned char *const row[ROWS],
                                              const double *w, unsigned mask)
{
    const __mmask8 low = (__mmask8)mask, high = (__mmask8)(mask >> 8);
    const __m512d by_low = _mm512_maskz_loadu_pd(low, w);
    const __m512d by_high = _mm512_maskz_loadu_pd(high, w + 8);
    for (size_t r = 0; r < ROWS; r++) {
        __m256 x = _mm256_maskz_loadu_ps(low, row[r]);
        __m256 y = _mm256_maskz_loadu_ps(high, row[r] + 32);
        lanes->lower[r] =
            _mm512_add_pd(lanes->lower[r], _mm512_mul_pd(_mm512_cvtps_pd(x), by_low));
        lanes->upper[r] =
            _mm512_add_pd(lanes->upper[r], _mm512_mul_pd(_mm512_cvtps_pd(y), by_high));
    }
}

/* The sums of four rows' lanes, added by halves as in sum_lanes: the first four numbers. */
VECTORS_AVX512 static inline __m512d sum_rows(const struct lanes *lanes)
{
    __m512d a = _mm512_add_pd(lanes->lower[0], lanes->upper[0]);
    __m512d b = _mm512_add_pd(lanes->lower[1], lanes->upper[1]);
    __m512d c = _mm512_add_pd(lanes->lower[2], lanes->upper[2]);
    __m512d d = _mm512_add_pd(lanes->lower[3], lanes->upper[3]);
    a = _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x44), _mm512_shuffle_f64x2(a, b, 0xee));
    c = _mm512_add_pd(_mm512_shuffle_f64x2(c, d, 0x44), _mm512_shuffle_f64x2(c, d, 0xee));
    a = _mm512_add_pd(_mm512_shuffle_f64x2(a, c, 0x88), _mm512_shuffle_f64x2(a, c, 0xdd));
    a = _mm512_add_pd(a, _mm512_permute_pd(a, 0x55));
    return _mm512_maskz_compress_pd(0x55, a);
}

VECTORS_AVX512 static void times_wide(const struct dense *dense, const double *w, double *s)
{
    const size_t bytes = dense->dim * sizeof(float), n = dense->n, last = dense->docs;
    for (size_t i = 0; i < last; i += ROWS) {
        struct lanes lanes;
        const unsigned char *row[ROWS];
        for (size_t r = 0; r < ROWS; r++) {
            row[r] = row_at(dense, i + r < last ? i + r : last - 1);
            lanes.lower[r] = lanes.upper[r] = _mm512_setzero_pd();
        }
        prefetch(row[0], (last - i < ROWS ? last - i : ROWS) * bytes);
        size_t j = 0;
        for (; j + LANES <= n; j += LANES) {
            add_sixteen(&lanes, row, w + j, 0xffff);
            for (size_t r = 0; r < ROWS; r++)
                row[r] += LANES * sizeof(float);
        }
        if (j < n)
            add_sixteen(&lanes, row, w + j, (1u << (n - j)) - 1);
        __mmask8 have = last - i < ROWS ? (__mmask8)((1u << (last - i)) - 1) : 0xf;
        /* All eight: of the lower half alone compilers make vextractf64x4, whose mask does not keep
         * it from touching the numbers beyond the last. */
        _mm512_mask_storeu_pd(s + i, have, sum_rows(&lanes));
    }
}
#endif

void dense_times(const struct dense *dense, const double *w, double *s)
{
#if VECTORS_X86
    if (vectors_avx512()) {
        times_wide(dense, w, s);
        return;
    }
#endif
    times(dense, w, s);
}

/* ---- sums of rows ---- */

/* z += a x for a number of rows, which is a constant where this is called. */
VECTORS_INLINE void add_rows(const unsigned char *const *row, const double *a, size_t rows,
                             size_t n, double *z)
{
    for (size_t j = 0; j < n; j++) {
        double sum = z[j];
        for (size_t r = 0; r < rows; r++)
            sum += a[r] * (double)unaligned_f4(row[r] + j * sizeof(float));
        z[j] = sum;
    }
}

VECTORS_CLONES void dense_add(const struct dense *dense, const double *g, double *z)
{
    const unsigned char *row[ROWS];
    double a[ROWS];
    size_t held = 0;
    for (size_t i = 0; i < dense->docs; i++) {
        if (g[i] == 0)
            continue;
        row[held] = row_at(dense, i);
        a[held++] = g[i];
        if (held == ROWS) {
            add_rows(row, a, ROWS, dense->n, z);
            held = 0;
        }
    }
    for (size_t r = 0; r < held; r++)
        add_rows(row + r, a + r, 1, dense->n, z);
}

/* ---- rows of doubles ---- */

/* lane += x y of four numbers. */
VECTORS_INLINE void add_doubles(four *lane, const double *x, const double *y)
{
    four a, b;
    memcpy(&a, x, sizeof a);
    memcpy(&b, y, sizeof b);
    *lane += a * b;
}

VECTORS_CLONES double dense_dot(const double *x, const double *y, size_t n)
{
    four a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
    for (; n >= LANES; n -= LANES, x += LANES, y += LANES) {
        add_doubles(&a, x, y);
        add_doubles(&b, x + 4, y + 4);
        add_doubles(&c, x + 8, y + 8);
        add_doubles(&d, x + 12, y + 12);
    }
    size_t whole = n / 4, rest = n % 4;
    if (whole > 0)
        add_doubles(&a, x, y);
    if (whole > 1)
        add_doubles(&b, x + 4, y + 4);
    if (whole > 2)
        add_doubles(&c, x + 8, y + 8);
    x += n - rest;
    y += n - rest;
    const four last = { rest > 0 ? x[0] * y[0] : 0, rest > 1 ? x[1] * y[1] : 0,
                        rest > 2 ? x[2] * y[2] : 0 };
    *(whole == 0 ? &a : whole == 1 ? &b : whole == 2 ? &c : &d) += last;
    return sum(&a, &b, &c, &d);
}

VECTORS_CLONES void dense_add_times(double a, const double *restrict x, double *restrict y,
                                    size_t n)
{
    for (size_t j = 0; j < n; j++)
        y[j] += a * x[j];
}

VECTORS_CLONES void dense_difference(const unsigned char *a, const unsigned char *b, size_t n,
                                     double *restrict d)
{
    for (size_t j = 0; j < n; j++)
        d[j] = (double)unaligned_f4(a + j * sizeof(float)) -
               (double)unaligned_f4(b + j * sizeof(float));
}
