/* digits: the floor of parsing. Reads text by 64 KiB and adds up its digits into numbers, with
 * their points: no sign, no exponent, no label, no query, no check. Prints their sum, so that none
 * can be left out. */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { BLOCK = 64 * 1024 };

/* By the digits after the point: there are 9 at the most. */
static const double scale[] = { 1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9 };

int main(void)
{
    static unsigned char text[BLOCK + 1];
    uint64_t number = 0, places = 0, point = 0;
    double sum = 0;
    ssize_t got;
    while ((got = read(STDIN_FILENO, text, BLOCK)) > 0) {
        const unsigned char *at = text, *end = text + got;
        text[got] = ' '; /* a number may go on in the next block */
        while (at < end) {
            unsigned digit;
            for (; (digit = *at - (unsigned)'0') < 10; at++, places += point)
                number = 10 * number + digit;
            if (at == end)
                break;
            if (*at++ == '.') {
                point = 1;
                continue;
            }
            sum += (double)number * scale[places];
            number = places = point = 0;
        }
    }
    printf("%g\n", sum);
    return got < 0;
}
