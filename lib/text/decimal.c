#include "text/decimal.h"

#include <stddef.h>

const char *decimal_digits(const char *p)
{
    while (*p >= '0' && *p <= '9')
        p++;
    return p;
}

const char *decimal_end(const char *p)
{
    const char *digits = p + (*p == '+' || *p == '-'), *end = decimal_digits(digits);
    size_t n = (size_t)(end - digits);
    if (*end == '.') {
        const char *fraction = end + 1;
        end = decimal_digits(fraction);
        n += (size_t)(end - fraction);
    }
    if (n == 0)
        return p;
    if (*end == 'e' || *end == 'E') {
        const char *exponent = end + 1 + (end[1] == '+' || end[1] == '-');
        if (decimal_digits(exponent) == exponent)
            return p;
        end = decimal_digits(exponent);
    }
    return end;
}
