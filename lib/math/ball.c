#include "math/ball.h"

#include <math.h>

/* As the scale falls, w grows. While the length of w is at most 2^256, neither its squares nor the
 * scale leave the range of a double. */
#define MOST 0x1p512
#define NOTHING 0x1p-300

/* The largest power of two up to the radius; dividing by it is exact. */
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

/* The scale is computed from w, not from the last scale, so rounding errors do not accumulate. */
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

/* Tiny numbers become 0: subnormal doubles are slow, and would leave a signed zero. */
static void multiply(struct ball *ball, double *w, double by)
{
    for (size_t j = 0; j < ball->norm.n; j++) {
        double scaled = w[j] * by;
        w[j] = fabs(scaled) < NOTHING ? 0 : scaled;
    }
    norm_take(&ball->norm, w, ball->norm.n);
}

/* Scales exactly, by a power of two, to a largest weight below 1. */
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
