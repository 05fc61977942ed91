#include "math/real.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* gcc in ISO mode does not fuse by default; clang does, within an expression, without this. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/*
 * A value too long for one double is stored as the sum of a head and a rest.  The product of two
 * heads of at most 26 bits is exact; no other exact multiplication is needed here.
 */
struct pair {
    double head;
    double rest;
};

/* Each constant as one double, and as a pair whose head times any exponent is exact. */
static const double LN2 = 0x1.62e42fefa39efp-1;
static const struct pair LN2_PAIR = {0x1.62e43p-1, -0x1.05c610ca86c39p-29};
static const double LOG2_E = 0x1.71547652b82fep+0;
static const struct pair LOG2_E_PAIR = {0x1.715476p+0, 0x1.4ae0bf85ddf44p-26};

/* Adding this leaves no bits below the units, so the addition rounds to a whole number. */
static const double WHOLE = 0x1.8p52;

static const double EXP_LARGEST = 0x1.62e42fefa39efp+9;
/* Below these bounds the result is 0; above them all exponents stay within range. */
static const double EXP_NOTHING = -746.0;
static const double EXP2_NOTHING = -1076.0;

static const uint64_t FRACTION_MASK = 0x000FFFFFFFFFFFFF;
static const uint64_t HEAD_MASK = 0xFFFFFFFFF8000000;
static const uint64_t SQRT_HALF_BITS = 0x3FE6A09E667F3BCD;
static const uint64_t ONE_BITS = 0x3FF0000000000000;

enum { FRACTION_BITS = 52, BIAS = 1023, LEAST_EXPONENT = -1022, TERMS = 12 };

/*
 * Taylor coefficients, rounded.  With |r| <= 0.35 and |s| <= 0.172 the terms left out are less than
 * 2^-62 of the result, so fitted coefficients would gain little.
 */
static const double EXP_TERMS[TERMS] = { /* 1 / n! from n = 3 */
    1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
    1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800, 1.0 / 87178291200
};
static const double LOG_TERMS[TERMS] = { /* 1 / n for odd n from 3 */
    1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13,
    1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23, 1.0 / 25
};

static uint64_t bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static double head_of(double x)
{
    return from_bits(bits_of(x) & HEAD_MASK);
}

/* The sum and its rounding error, exactly, provided |large| >= |small| or large is 0. */
static struct pair add(double large, double small)
{
    struct pair sum;

    sum.head = large + small;
    sum.rest = small - (sum.head - large);
    return sum;
}

/* Two interleaved chains, which the processor runs in parallel. */
static double polynomial(const double term[TERMS], double x)
{
    double square = x * x;
    double even = term[TERMS - 2];
    double odd = term[TERMS - 1];

    for (int i = TERMS - 4; i >= 0; i -= 2) {
        even = even * square + term[i];
        odd = odd * square + term[i + 1];
    }
    return even + odd * x;
}

/*
 * value * 2^exponent rounded once, for a value near 1.  A subnormal result is rounded by adding a
 * power of two large enough to push out the bits that do not fit.  The fraction of the sum is then
 * the bit pattern of the result, and carries into the least normal number without more work.
 */
static double scaled(struct pair value, int exponent)
{
    uint64_t shift = (uint64_t)(int64_t)exponent << FRACTION_BITS;

    if (exponent <= LEAST_EXPONENT) {
        uint64_t base_bits = ONE_BITS + ((uint64_t)LEAST_EXPONENT << FRACTION_BITS) - shift;
        double base = from_bits(base_bits);

        if (value.head < base) {
            struct pair sum = add(base, value.head);

            return from_bits(bits_of(sum.head + (sum.rest + value.rest)) - base_bits);
        }
    }
    return from_bits(bits_of(value.head + value.rest) + shift);
}

/* e^r * 2^exponent, for |r| <= 0.35: 1 + r + r^2 / 2 is exact, the small remainder is not. */
static double exp_scaled(struct pair r, int exponent)
{
    double x = r.head;
    double x_head = head_of(x);
    double x_rest = x - x_head;
    double square = x * x;
    double remainder = x * square * polynomial(EXP_TERMS, x)
        + (0.5 * (x_rest * (x + x_head)) + (r.rest + r.rest * x));
    struct pair small = add(x, 0.5 * (x_head * x_head));
    struct pair sum = add(1.0, small.head);

    sum.rest += small.rest + remainder;
    return scaled(sum, exponent);
}

double real_exp(double x)
{
    if (isnan(x))
        return NAN;
    if (x > EXP_LARGEST)
        return INFINITY;
    if (x < EXP_NOTHING)
        return 0.0;

    double exponent = (x * LOG2_E + WHOLE) - WHOLE;
    /* Where the difference cancels, |large| >= |small| may fail; the error is at most 2^-70. */
    struct pair r = add(x - exponent * LN2_PAIR.head, -(exponent * LN2_PAIR.rest));

    return exp_scaled(r, (int)exponent);
}

double real_exp2(double x)
{
    if (isnan(x))
        return NAN;
    if (x >= BIAS + 1)
        return INFINITY;
    if (x < EXP2_NOTHING)
        return 0.0;

    double exponent = (x + WHOLE) - WHOLE;
    double part = x - exponent;
    double part_head = head_of(part);
    double part_rest = part - part_head;
    struct pair r = add(part_head * LN2_PAIR.head, part_head * LN2_PAIR.rest + part_rest * LN2);

    return exp_scaled(r, (int)exponent);
}

/*
 * ln m, for m from sqrt(1/2) to sqrt(2), with a head of 26 bits: twice the series of the inverse
 * hyperbolic tangent of s = (m - 1) / (m + 1).  Only s itself needs more than a double; its rest
 * comes from the remainder of the division.
 */
static struct pair log_of_mantissa(double m)
{
    double above = m - 1.0;
    struct pair divisor = add(2.0, above);
    double divisor_head = head_of(divisor.head);
    double divisor_rest = (divisor.head - divisor_head) + divisor.rest;
    double inverse = 1.0 / divisor.head;
    double s_head = head_of(above * inverse);
    double remainder = (above - s_head * divisor_head) - s_head * divisor_rest;
    double s_rest = remainder * inverse;
    double s = s_head + s_rest;
    double square = s * s;
    struct pair result;

    result.head = 2.0 * s_head;
    result.rest = 2.0 * (s_rest + s * square * polynomial(LOG_TERMS, square));
    return result;
}

/* x = m * 2^exponent with m from sqrt(1/2) to sqrt(2), so that near 1 nothing cancels. */
static double split(double x, double *exponent)
{
    uint64_t bits = bits_of(x);
    int subnormal = bits <= FRACTION_MASK;

    /* The bits of a subnormal are a whole number of its least units, and normal as a double. */
    if (subnormal)
        bits = bits_of((double)(int64_t)bits);
    bits += ONE_BITS - SQRT_HALF_BITS;
    *exponent = (int)(bits >> FRACTION_BITS) - BIAS;
    if (subnormal)
        *exponent += LEAST_EXPONENT - FRACTION_BITS;
    return from_bits((bits & FRACTION_MASK) + SQRT_HALF_BITS);
}

static int has_finite_log(double x)
{
    return x > 0.0 && x < INFINITY;
}

static double log_special(double x)
{
    if (x == 0.0)
        return -INFINITY;
    return x > 0.0 ? INFINITY : NAN;
}

double real_log(double x)
{
    if (!has_finite_log(x))
        return log_special(x);

    double exponent;
    struct pair part = log_of_mantissa(split(x, &exponent));
    struct pair sum = add(exponent * LN2_PAIR.head, part.head);

    return sum.head + (sum.rest + (part.rest + exponent * LN2_PAIR.rest));
}

double real_log2(double x)
{
    if (!has_finite_log(x))
        return log_special(x);

    double exponent;
    struct pair part = log_of_mantissa(split(x, &exponent));
    struct pair sum = add(exponent, part.head * LOG2_E_PAIR.head);

    return sum.head + (sum.rest + (part.rest * LOG2_E + part.head * LOG2_E_PAIR.rest));
}

/*
 * Stirling's series: its terms are B_2n / (2n (2n - 1) x^(2n - 1)).  From 10 on those left out are
 * below 2^-57; a smaller x is moved there by gamma(x + 1) = x gamma(x).
 */
static const double STIRLING_TERMS[TERMS] = {
    1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156
};
static const double HALF_LOG_TWO_PI = 0x1.d67f1c864beb5p-1;

double real_log_gamma(double x)
{
    double product = 1.0;

    if (!(x >= 0.0))
        return NAN;
    if (x < 0x1p-1022 || x == INFINITY)
        return INFINITY;
    for (; x < 10.0; x += 1.0)
        product *= x;

    double series = polynomial(STIRLING_TERMS, 1.0 / (x * x)) / x;

    return ((x - 0.5) * (real_log(x) - 1.0) - 0.5) + HALF_LOG_TWO_PI + series - real_log(product);
}

/* The derivative of Stirling's series, and of ln x: B_2n / (2n x^2n), subtracted. */
static const double DIGAMMA_TERMS[TERMS] = {
    1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12
};

double real_digamma(double x)
{
    double sum = 0.0;

    if (!(x >= 0.0))
        return NAN;
    if (x == INFINITY)
        return INFINITY;
    if (x < 0x1p-1000)
        return -INFINITY;
    for (; x < 10.0; x += 1.0)
        sum += 1.0 / x;

    double square = 1.0 / (x * x);

    return real_log(x) - (0.5 / x + square * polynomial(DIGAMMA_TERMS, square)) - sum;
}

double real_cbrt(double x)
{
    double root = real_exp(real_log(x) / 3);
    return root - (root * root * root - x) / (3 * root * root);
}

/* ---- softmax ---- */

static double largest(size_t m, const double *s)
{
    double most = s[0];
    for (size_t j = 1; j < m; j++)
        if (s[j] > most)
            most = s[j];
    return most;
}

static double weigh(size_t m, const double *s, double epsilon, double most, double *weight)
{
    double sum = 0;
    for (size_t j = 0; j < m; j++)
        sum += weight[j] = real_exp((s[j] - most) / epsilon);
    return sum;
}

double softmax_weights(size_t m, const double *s, double epsilon, double *weight)
{
    return weigh(m, s, epsilon, largest(m, s), weight);
}

double softmax(size_t m, const double *s, double epsilon, double *p)
{
    double most = largest(m, s), sum = weigh(m, s, epsilon, most, p);
    for (size_t j = 0; j < m; j++)
        p[j] /= sum;
    return most / epsilon + real_log(sum);
}
