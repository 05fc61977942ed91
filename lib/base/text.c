#include "base/text.h"

#include <math.h>
#include <stdlib.h>

bool text_real(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return *text && strspn(text, "0123456789.eE+-") == strlen(text) && !*end && isfinite(*value);
}

char *text_from_number(char digits[TEXT_DIGITS], uint64_t value)
{
    char *first = digits + TEXT_DIGITS - 1;
    *first = '\0';
    do
        *--first = (char)('0' + value % 10);
    while (value /= 10);
    return first;
}
