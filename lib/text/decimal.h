/* decimal: decimal numbers in text: where they end, and the float nearest to them. */
#ifndef RANKPIPE_DECIMAL_H
#define RANKPIPE_DECIMAL_H

#include <stdint.h>

enum { DECIMAL_DIGITS = 19 }; /* as many digits surely fit a uint64_t */

/* Returns where the decimal number that starts at p ends, or p where there is none. The other words
 * that strtod takes (nan, inf, 0x1p3) are not decimal numbers. */
const char *decimal_end(const char *p);

/* Reads a decimal number that a blank, a # or the end of the line follows: the float nearest to it,
 * as strtof has it, but faster. Returns where it ends, or NULL where the text is not a number, or
 * has more than DECIMAL_DIGITS digits, or is so large, small or near the middle of two floats that
 * strtof must decide. */
const char *decimal_float(const char *p, float *value);

/* Appends the digits at p to *digits. Returns where they end. */
static inline const char *decimal_digits(const char *p, uint64_t *digits)
{
    uint64_t digit;
    for (; (digit = (uint64_t)(unsigned char)*p - '0') < 10; p++)
        *digits = 10 * *digits + digit;
    return p;
}

#endif
