#include "math/norm.h"

#include <stdbool.h>
#include <string.h>

#include "math/lanes.h"
#include "math/vectors.h"

#if defined(__x86_64__) && !defined(PORTABLE)
#include <immintrin.h>
#endif

enum { LAST = 256 }; /* sums of the last level, at most: norm_square adds them up */

static size_t parts(size_t n)
{
    return n / LANES + (n % LANES != 0);
}

/* Four lanes at a time, then the same tree as in sum_lanes. */
typedef double four __attribute__((vector_size(4 * sizeof(double))));

VECTORS_INLINE double add_up(const double *numbers, bool squares)
{
    four a, b, c, d;
    memcpy(&a, numbers, sizeof a);
    memcpy(&b, numbers + 4, sizeof b);
    memcpy(&c, numbers + 8, sizeof c);
    memcpy(&d, numbers + 12, sizeof d);
    if (squares) {
        a *= a;
        b *= b;
        c *= c;
        d *= d;
    }
    a = (a + c) + (b + d);
    return (a[0] + a[2]) + (a[1] + a[3]);
}

/* The first n of 16 lanes; the others are 0. */
typedef void rest_function(double rest[LANES], const double *from, size_t n);

static void copy_rest(double rest[LANES], const double *from, size_t n)
{
    for (size_t i = 0; i < LANES; i++)
        rest[i] = i < n ? from[i] : 0;
}

#if defined(__x86_64__) && !defined(PORTABLE)
/* Four at a time, as add_up reads them: vectors that were written number by number wait. */
VECTORS_WIDE static inline void copy_rest_wide(double rest[LANES], const double *from, size_t n)
{
    static const int64_t have[2 * LANES] = { -1, -1, -1, -1, -1, -1, -1, -1,
                                             -1, -1, -1, -1, -1, -1, -1, -1 };
    for (size_t i = 0; i < LANES; i += 4) {
        __m256i mask = _mm256_loadu_si256((const void *)(have + LANES - n + i));
        _mm256_storeu_pd(rest + i, _mm256_maskload_pd(from + i, mask));
    }
}
#else
#define copy_rest_wide copy_rest
#endif

/* Sum b of a level, from the n numbers of the level below; missing numbers count as 0. */
VECTORS_INLINE void take_sum(struct level *level, bool first, const double *below, size_t n,
                             size_t b, rest_function *copy)
{
    double *sums = level->sums.at, rest[LANES];
    const double *from = below + b * LANES;
    if (n - b * LANES < LANES)
        copy(rest, from, n - b * LANES);
    sums[b] = add_up(n - b * LANES < LANES ? rest : from, first);
}

VECTORS_INLINE void take(struct norm *norm, const double *v, size_t width, rest_function *copy)
{
    size_t n = norm->n;
    for (size_t l = 0; l < norm->levels; l++) {
        struct level *level = &norm->level[l];
        width = parts(width);
        for (size_t b = 0; b < width; b++)
            take_sum(level, l == 0, v, n, b, copy);
        v = level->sums.at;
        n = level->n;
    }
}

/* If at least half as many numbers changed as a level has sums, all its sums are computed once. */
VECTORS_INLINE void take_changes(struct norm *norm, const double *v, const uint32_t *index,
                             size_t changed, rest_function *copy)
{
    size_t n = norm->n;
    for (size_t l = 0, shift = 4; l < norm->levels; l++, shift += 4) {
        struct level *level = &norm->level[l];
        bool all = level->n / 2 <= changed;
        for (size_t b = 0; all && b < level->n; b++)
            take_sum(level, l == 0, v, n, b, copy);
        for (size_t e = 0; !all && e < changed; e++)
            if (e == 0 || index[e] >> shift != index[e - 1] >> shift)
                take_sum(level, l == 0, v, n, index[e] >> shift, copy);
        v = level->sums.at;
        n = level->n;
    }
}

VECTORS_WIDE static void take_wide(struct norm *norm, const double *v, size_t width)
{
    take(norm, v, width, copy_rest_wide);
}

static void take_portable(struct norm *norm, const double *v, size_t width)
{
    take(norm, v, width, copy_rest);
}

static void take_changes_portable(struct norm *norm, const double *v, const uint32_t *index,
                                  size_t changed)
{
    take_changes(norm, v, index, changed, copy_rest);
}

VECTORS_WIDE static void take_changes_wide(struct norm *norm, const double *v,
                                           const uint32_t *index, size_t changed)
{
    take_changes(norm, v, index, changed, copy_rest_wide);
}

void norm_take(struct norm *norm, const double *v, size_t width)
{
    (vectors_wide() ? take_wide : take_portable)(norm, v, width);
}

void norm_take_changes(struct norm *norm, const double *v, const uint32_t *index, size_t n)
{
    (vectors_wide() ? take_changes_wide : take_changes_portable)(norm, v, index, n);
}

double norm_square(const struct norm *norm)
{
    double lane[LANES] = { 0 };
    const struct level *top = &norm->level[norm->levels ? norm->levels - 1 : 0];
    const double *sums = top->sums.at;
    size_t i = 0;
    if (top->n > 0 && top->n <= 4) /* the same sum, without the lanes that are 0 */
        return (sums[0] + (top->n > 2 ? sums[2] : 0)) +
               ((top->n > 1 ? sums[1] : 0) + (top->n > 3 ? sums[3] : 0));
    for (; i + LANES <= top->n; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] += sums[i + l];
    for (size_t l = 0; i + l < top->n; l++)
        lane[l] += sums[i + l];
    return sum_lanes(lane);
}

static int grow(struct level *level, size_t n, struct fault *fault)
{
    double *sums = buffer_for(&level->sums, n, sizeof *sums, fault);
    if (!sums)
        return -1;
    memset(sums + level->n, 0, (n - level->n) * sizeof *sums);
    level->n = n;
    return 0;
}

/* A new level is summed from the one below, which was the last one and is therefore small. */
int norm_reach(struct norm *norm, size_t n, struct fault *fault)
{
    size_t had = norm->levels, m = n;
    norm->levels = 0;
    while (norm->levels == 0 || m > LAST) {
        size_t l = norm->levels++, below = m;
        m = parts(m);
        if (grow(&norm->level[l], m, fault) < 0)
            return -1;
        for (size_t b = 0; l > 0 && l >= had && b < m; b++)
            take_sum(&norm->level[l], false, norm->level[l - 1].sums.at, below, b,
                     copy_rest);
    }
    norm->n = n;
    return 0;
}

void norm_close(struct norm *norm)
{
    for (size_t l = 0; l < NORM_LEVELS; l++)
        buffer_free(&norm->level[l].sums);
}
