#include "base/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
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
    return *power < DECIMAL_LEAST || *power > DECIMAL_MOST ? NULL : end;
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
    if (!text_ends_number(*p) || !decimal_round(digits, power, value))
        return NULL;
    *value = minus ? -*value : *value;
    return p;
}

bool decimal_double(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return *text && strspn(text, "0123456789.eE+-") == strlen(text) && !*end && isfinite(*value);
}
