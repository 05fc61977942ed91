#include "math/norm.h"

#include <stdbool.h>
#include <string.h>

#include "math/lanes.h"
#include "math/vectors.h"

enum { TOP_MOST = 256 }; /* most sums of the last level, which norm_square adds up each time */

static size_t parts(size_t n)
{
    return n / LANES + (n % LANES != 0);
}

/* Four lanes at a time, then added in the order of sum_lanes. */
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

/* Sum b of a level, from the n numbers of the level before; numbers after the end count as 0. */
VECTORS_INLINE void take_sum(struct level *level, bool first, const double *below, size_t n,
                             size_t b)
{
    double *sums = level->sums.at, rest[LANES] = { 0 };
    const double *from = below + b * LANES;
    for (size_t i = 0; n - b * LANES < LANES && i < n - b * LANES; i++)
        rest[i] = from[i];
    sums[b] = add_up(n - b * LANES < LANES ? rest : from, first);
}

VECTORS_INLINE void take(struct norm *norm, const double *v, size_t width)
{
    size_t n = norm->n;
    for (size_t l = 0; l < norm->levels; l++) {
        struct level *level = &norm->level[l];
        width = parts(width);
        for (size_t b = 0; b < width; b++)
            take_sum(level, l == 0, v, n, b);
        v = level->sums.at;
        n = level->n;
    }
}

/* Where about as many numbers changed as a level has sums, each sum is computed once, in order. */
VECTORS_INLINE void take_changes(struct norm *norm, const double *v, const uint32_t *index,
                             size_t changed)
{
    size_t n = norm->n;
    for (size_t l = 0, shift = 4; l < norm->levels; l++, shift += 4) {
        struct level *level = &norm->level[l];
        bool all = level->n / 2 <= changed;
        for (size_t b = 0; all && b < level->n; b++)
            take_sum(level, l == 0, v, n, b);
        for (size_t e = 0; !all && e < changed; e++)
            if (e == 0 || index[e] >> shift != index[e - 1] >> shift)
                take_sum(level, l == 0, v, n, index[e] >> shift);
        v = level->sums.at;
        n = level->n;
    }
}

VECTORS_WIDE static void take_wide(struct norm *norm, const double *v, size_t width)
{
    take(norm, v, width);
}

VECTORS_WIDE static void take_changes_wide(struct norm *norm, const double *v,
                                           const uint32_t *index, size_t changed)
{
    take_changes(norm, v, index, changed);
}

void norm_take(struct norm *norm, const double *v, size_t width)
{
    (vectors_wide() ? take_wide : take)(norm, v, width);
}

void norm_take_changes(struct norm *norm, const double *v, const uint32_t *index, size_t n)
{
    (vectors_wide() ? take_changes_wide : take_changes)(norm, v, index, n);
}

double norm_square(const struct norm *norm)
{
    double lane[LANES] = { 0 };
    const struct level *top = &norm->level[norm->levels ? norm->levels - 1 : 0];
    const double *sums = top->sums.at;
    size_t i = 0;
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

/* A new level is computed from the one before, which was the last one and so is small. */
int norm_reach(struct norm *norm, size_t n, struct fault *fault)
{
    size_t had = norm->levels, m = n;
    norm->levels = 0;
    while (norm->levels == 0 || m > TOP_MOST) {
        size_t l = norm->levels++, below = m;
        m = parts(m);
        if (grow(&norm->level[l], m, fault) < 0)
            return -1;
        for (size_t b = 0; l > 0 && l >= had && b < m; b++)
            take_sum(&norm->level[l], false, norm->level[l - 1].sums.at, below, b);
    }
    norm->n = n;
    return 0;
}

void norm_close(struct norm *norm)
{
    for (size_t l = 0; l < NORM_LEVELS; l++)
        buffer_free(&norm->level[l].sums);
}
