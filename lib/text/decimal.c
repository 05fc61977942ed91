#include "text/decimal.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"

const char *decimal_end(const char *p)
{
    const char *digits = p + (*p == '+' || *p == '-'), *end = text_skip_digits(digits);
    size_t n = (size_t)(end - digits);
    if (*end == '.') {
        const char *fraction = end + 1;
        end = text_skip_digits(fraction);
        n += (size_t)(end - fraction);
    }
    if (n == 0)
        return p;
    if (*end == 'e' || *end == 'E') {
        const char *exponent = end + 1 + (end[1] == '+' || end[1] == '-');
        if (text_skip_digits(exponent) == exponent)
            return p;
        end = text_skip_digits(exponent);
    }
    return end;
}

enum { POWER_LEAST = -22, POWER_MOST = 18 }; /* powers of ten that are exact, values in range */

/* Adds the exponent at p to *power. Returns where it ends, or NULL where it is not a plain one. */
static const char *read_exponent(const char *p, int *power)
{
    uint64_t digits = 0;
    bool minus = *p == '-';
    p += minus || *p == '+';
    const char *end = decimal_digits(p, &digits);
    if (end == p || end - p > 7)
        return NULL;
    *power += minus ? -(int)digits : (int)digits;
    return *power < POWER_LEAST || *power > POWER_MOST ? NULL : end;
}

/* *value becomes the float nearest to digits * 10^power; false where that is not certain. The power
 * of ten is exact, so x is rounded at most twice and is less than 3 units in the last place off. A
 * float lacks the last 29 bits of x. Two floats are equally near where these bits are 2^28: unless
 * they are within 4 of that, x is on the right side. */
static inline bool round_decimal(uint64_t digits, int power, float *value)
{
    static const double ten[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
                                  1e22 };
    double x = power > 0 ? (double)digits * ten[power] : (double)digits / ten[-power];
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    *value = (float)x;
    return ((bits - (0x10000000 - 4)) & 0x1fffffff) > 8;
}

const char *decimal_float(const char *p, float *value)
{
    bool minus = *p == '-';
    const char *from = p + minus;
    uint64_t digits = 0;
    int power = 0;
    p = decimal_digits(from, &digits);
    ptrdiff_t n = p - from;
    if (*p == '.') {
        const char *fraction = p + 1;
        p = decimal_digits(fraction, &digits);
        power = (int)(fraction - p);
        n -= power;
    }
    if (n < 1 || n > DECIMAL_DIGITS)
        return NULL;
    if ((*p == 'e' || *p == 'E') && !(p = read_exponent(p + 1, &power)))
        return NULL;
    if (!text_ends_number(*p) || !round_decimal(digits, power, value))
        return NULL;
    *value = minus ? -*value : *value;
    return p;
}
