/* digits: numbers as decimal text, with the bytes of printf, but about ten times faster. */
#ifndef RANKPIPE_DIGITS_H
#define RANKPIPE_DIGITS_H

#include <stdint.h>

/* The bytes that each function may write at `to`. Those at and after the end that it returns are
 * left with any value. */
enum { DIGITS_ROOM = 48 };

/* Writes the number as "%PRIu64" does, without a NUL. Returns the end. */
char *digits_whole(char *to, uint64_t value);

/* Writes the number as "%.9g" does, or "%.17g": nine digits give back the same float, seventeen the
 * same double. Without a NUL. Returns the end.
 *
 * The digits are exact. The number is m 2^e with a whole m. With s chosen so that m 2^e 10^s has as
 * many digits before the point as are wanted, these are m 5^s shifted by e + s bits, rounded to the
 * nearest, ties to even. m 5^s is a whole number without error: of 64 bits for floats from 2^-29 up
 * to 2^29, else of 128. Where it does not fit, and for nan and inf, snprintf does the work: for
 * doubles below 1e-15 or above about 1e36, floats below 1e-36 or above 1e28, and without 128-bit
 * numbers all that 64 bits do not hold. */
char *digits_nine(char *to, float value);
char *digits_seventeen(char *to, double value);

#endif
