#include "base/little.h"

void little_numbers(void *numbers, size_t n, size_t width)
{
    unsigned char *at = numbers;
    for (size_t i = 0; LITTLE_SWAPS && width > 1 && i < n; i++, at += width) {
        for (size_t b = 0; b < width / 2; b++) {
            unsigned char byte = at[b];
            at[b] = at[width - 1 - b];
            at[width - 1 - b] = byte;
        }
    }
}
