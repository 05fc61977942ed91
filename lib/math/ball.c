#include "math/ball.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/vectors.h"

/* As weights are scaled down, w grows. While its length is at most 2^256, neither its square nor
 * the scale leaves the range of a double; longer weights are outside the ball. */
#define MOST 0x1p512
#define NOTHING 0x1p-300

/* The unit is the largest power of two up to the radius, so dividing by it is exact. */
void ball_start(struct ball *ball, double radius)
{
    int exponent;
    (void)frexp(radius, &exponent);
    ball->radius = radius;
    ball->unit = radius > 0 ? ldexp(1, exponent - 1) : 1;
    ball->scale = ball->unit;
}

void ball_close(struct ball *ball)
{
    norm_close(&ball->norm);
}

int ball_reach(struct ball *ball, size_t n, struct fault *fault)
{
    return ball->radius > 0 ? norm_reach(&ball->norm, n, fault) : 0;
}

/* The scale is computed from w, not from the last scale, so rounding errors do not add up. */
static bool settle(struct ball *ball)
{
    double square = norm_square(&ball->norm), length = sqrt(square);
    if (!(square <= MOST))
        return false;
    if (ball->scale * length > ball->radius)
        ball->scale = ball->radius / length;
    return true;
}

bool ball_resume(struct ball *ball, const double *w, double scale)
{
    norm_take(&ball->norm, w, ball->norm.n);
    ball->scale = scale;
    return scale > 0 && scale <= ball->unit && norm_square(&ball->norm) <= MOST;
}

bool ball_step(struct ball *ball, const double *w, size_t width)
{
    norm_take(&ball->norm, w, width);
    return settle(ball);
}

bool ball_step_changes(struct ball *ball, const double *w, const uint32_t *index, size_t n)
{
    norm_take_changes(&ball->norm, w, index, n);
    return settle(ball);
}

/* A number below 1e-300 becomes 0: subnormal numbers are slow, and an underflow would leave a
 * signed zero. */
static void multiply(struct ball *ball, double *w, double by)
{
    for (size_t j = 0; j < ball->norm.n; j++) {
        double scaled = w[j] * by;
        w[j] = fabs(scaled) < NOTHING ? 0 : scaled;
    }
    norm_take(&ball->norm, w, ball->norm.n);
}

/* Scales by a power of two, exactly, so that the largest weight is below 1. */
static void shrink(struct ball *ball, double *w)
{
    double most = 0;
    int exponent;
    for (size_t j = 0; j < ball->norm.n; j++)
        most = fabs(w[j]) > most ? fabs(w[j]) : most;
    (void)frexp(most, &exponent);
    multiply(ball, w, ldexp(1, -exponent));
}

void ball_gather(struct ball *ball, double *w)
{
    if (isinf(norm_square(&ball->norm)))
        shrink(ball, w);
    multiply(ball, w, ball->radius / ball->unit / sqrt(norm_square(&ball->norm)));
    ball->scale = ball->unit;
    (void)settle(ball);
}

/* ---- the length of a vector ---- */

enum { LAST = 256 }; /* sums of the last level, at most: norm_square adds them up */

static size_t parts(size_t n)
{
    return n / LANES + (n % LANES != 0);
}

/* The sum of from[LANES] or of their squares, added as sum_lanes adds, but without waiting for its
 * lanes to be stored. */
static inline double add_sixteen(const double *from, bool squares)
{
    double eight[8], four[4];
    for (size_t l = 0; l < 8; l++)
        eight[l] = squares ? from[l] * from[l] + from[l + 8] * from[l + 8] : from[l] + from[l + 8];
    for (size_t l = 0; l < 4; l++)
        four[l] = eight[l] + eight[l + 4];
    return (four[0] + four[2]) + (four[1] + four[3]);
}

/* Sum b of a level, from the n numbers of the level below, or from their squares; missing numbers
 * count as 0. */
static inline void take_sum(struct level *level, bool squares, const double *below, size_t n,
                            size_t b)
{
    const double *from = below + b * LANES;
    double *sum = (double *)level->sums.at + b;
    if (n - b * LANES >= LANES) {
        *sum = squares ? add_sixteen(from, true) : add_sixteen(from, false);
        return;
    }
    double last[LANES] = { 0 };
    memcpy(last, from, (n - b * LANES) * sizeof *last);
    *sum = squares ? add_sixteen(last, true) : add_sixteen(last, false);
}

void norm_take(struct norm *norm, const double *v, size_t width)
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

/* If at least half as many numbers changed as a level has sums, all its sums are computed once. */
void norm_take_changes(struct norm *norm, const double *v, const uint32_t *index, size_t changed)
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

void norm_clear(struct norm *norm, const uint32_t *index, size_t n)
{
    size_t width = n;
    for (size_t l = 0, shift = 4; l < norm->levels; l++, shift += 4) {
        double *sums = norm->level[l].sums.at;
        width = parts(width);
        if (!index)
            memset(sums, 0, width * sizeof *sums);
        for (size_t e = 0; index && e < n; e++)
            sums[index[e] >> shift] = 0;
    }
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
    if (!sums) return -1;
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
        if (grow(&norm->level[l], m, fault) < 0) return -1;
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
