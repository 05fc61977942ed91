#include "base/text.h"

char *text_from_number(char digits[TEXT_DIGITS], uint64_t value)
{
    char *first = digits + TEXT_DIGITS - 1;
    *first = '\0';
    do
        *--first = (char)('0' + value % 10);
    while (value /= 10);
    return first;
}
