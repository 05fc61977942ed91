/* Numbers are printed with the bytes of printf: lib/text/print.c against snprintf, over random
 * numbers of every size and over those where arithmetic that is less than exact would err.
 *
 * usage: digits [NUMBERS]    (default: a million of each kind) */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/unaligned.h"
#include "math/rng.h"
#include "text/print.h"

static uint64_t wrong;

static void compare(const char *got, const char *end, const char *want)
{
    size_t n = strlen(want);
    if ((size_t)(end - got) == n && memcmp(got, want, n) == 0)
        return;
    if (wrong++ < 10)
        printf("digits: %.*s, not %s\n", (int)(end - got), got, want);
}

static void check_float(float value)
{
    char got[DIGITS_ROOM], want[64];
    sprintf(want, "%.9g", (double)value);
    compare(got, digits_nine(got, value), want);
}

static void check_double(double value)
{
    char got[DIGITS_ROOM], want[64];
    sprintf(want, "%.17g", value);
    compare(got, digits_seventeen(got, value), want);
}

static void check_whole(uint64_t value)
{
    char got[DIGITS_ROOM], want[64];
    sprintf(want, "%" PRIu64, value);
    compare(got, digits_whole(got, value), want);
}

/* A float and its neighbours, with both signs; the same of doubles. */
static void around_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (uint32_t by = 0; by < 7; by++) {
        uint32_t near = bits + by - 3, minus = near ^ 0x80000000;
        check_float(unaligned_f4(&near));
        check_float(unaligned_f4(&minus));
    }
}

static void around_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (uint64_t by = 0; by < 7; by++) {
        uint64_t near = bits + by - 3, minus = near ^ (uint64_t)1 << 63;
        check_double(unaligned_f8(&near));
        check_double(unaligned_f8(&minus));
    }
}

/* All powers of ten and of two, and small multiples of them; where the ways divide; zeros, and what
 * is no number. */
static void check_corners(void)
{
    char text[32];
    for (int power = -330; power <= 310; power++)
        for (int times = 1; times <= 20; times++) {
            sprintf(text, "%de%d", times, power);
            around_float(strtof(text, NULL));
            around_double(strtod(text, NULL));
        }
    for (int power = -1080; power < 1024; power++)
        for (int times = 1; times <= 20; times++) {
            around_float((float)ldexp(times, power));
            around_double(ldexp(times, power));
        }
    for (uint64_t ten = 1, n = 1; n <= 20; n++, ten *= 10)
        for (uint64_t by = 0; by < 7; by++)
            check_whole(ten + by - 3);
    around_float(0);
    around_double(0);
    around_float(INFINITY);
    around_double((double)INFINITY);
    check_float(NAN);
    check_double((double)NAN);
}

/* Half-way between two numbers of nine digits: a float that is a whole number and a half, times a
 * power of two, may have exactly ten digits, of which the last is 5. */
static void check_half_way(struct rng *rng)
{
    uint32_t front = 1 + rng_below(rng, 0x1fffff);
    float value = (float)front;
    for (int halves = 0; halves < 24; halves++, value /= 2)
        check_float(value);
    /* Seventeen digits and a half: 2^53 and up is whole, below there are quarters. */
    uint64_t m = (rng_bits(rng) >> 11) | 1;
    for (int e = -56; e < 8; e++)
        check_double(ldexp((double)m, e));
}

/* Numbers as data has them: few decimals, whole numbers, any in [0,1). */
static void check_plain(struct rng *rng)
{
    static const double scale[] = { 1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };
    double by = scale[rng_below(rng, 10)], whole = rng_below(rng, 100000000);
    check_float((float)(whole / by));
    check_float((float)(whole * by));
    check_double(whole / by);
    check_double(-whole * by);
    double unit = rng_unit(rng);
    check_float((float)unit);
    check_double(unit);
}

static void check_any(struct rng *rng)
{
    uint64_t bits = rng_bits(rng);
    uint32_t few = (uint32_t)(bits >> 32);
    check_double(unaligned_f8(&bits));
    check_float(unaligned_f4(&few));
    few = 0x2f000000 + few % 0x21000000; /* 1e-10 to 1e10 */
    check_float(unaligned_f4(&few));
    bits = ((uint64_t)0x3cc << 52) + bits % ((uint64_t)0xb0 << 52); /* 1e-16 to 1e37 */
    check_double(unaligned_f8(&bits));
    check_whole(bits >> rng_below(rng, 64));
}

int main(int argc, char **argv)
{
    uint64_t numbers = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    check_corners();
    for (uint64_t t = 1; t <= numbers; t++) {
        struct rng rng = rng_at(1, RNG_SAMPLE, t);
        check_any(&rng);
        check_plain(&rng);
        if (t % 16 == 0)
            check_half_way(&rng);
    }
    printf("%" PRIu64 " numbers of each kind as printf has them%s\n", numbers,
           wrong ? ": NOT" : "");
    return wrong != 0;
}
