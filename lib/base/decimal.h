/* decimal: decimal numbers in text: where they end, and the float or double nearest to them. */
#ifndef RANKPIPE_DECIMAL_H
#define RANKPIPE_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { DECIMAL_DIGITS = 19 };                    /* as many digits surely fit a uint64_t       */
enum { DECIMAL_LEAST = -22, DECIMAL_MOST = 18 }; /* powers of ten that are exact, values in range */

/* Returns where the decimal number that starts at p ends, or p where there is none. The other words
 * that strtod takes (nan, inf, 0x1p3) are not decimal numbers. */
const char *decimal_end(const char *p);

/* Reads a decimal number that a blank, a # or the end of the line follows: the float nearest to it,
 * as strtof has it, but faster. Returns where it ends, or NULL where the text is not a number, or
 * has more than DECIMAL_DIGITS digits, or is so large, small or near the middle of two floats that
 * strtof must decide. */
const char *decimal_float(const char *p, float *value);

/* Is the text a finite decimal number and nothing else, as 0.5 or 1e-5? If so, its value. */
bool decimal_double(const char *text, double *value);

/* Appends the digits at p to *digits. Returns where they end. */
static inline const char *decimal_digits(const char *p, uint64_t *digits)
{
    uint64_t digit;
    for (; (digit = (uint64_t)(unsigned char)*p - '0') < 10; p++)
        *digits = 10 * *digits + digit;
    return p;
}

/* *value becomes the float nearest to digits * 10^power, with a power from DECIMAL_LEAST to
 * DECIMAL_MOST; false where that is not certain. The power of ten is exact, so x is rounded at most
 * twice and is less than 3 units in the last place off. A float lacks the last 29 bits of x. Two
 * floats are equally near where these bits are 2^28: unless they are within 4 of that, x is on the
 * right side. */
static inline bool decimal_round(uint64_t digits, int power, float *value)
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

#endif
