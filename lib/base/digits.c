#include "base/digits.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/unaligned.h"

/* The widest whole numbers of the compiler. */
#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;
#else
typedef uint64_t wide;
#endif
/* Marks a function for numbers that are rare, which must not take registers from those that are
 * not. */
#define AWAY __attribute__((noinline))

enum { WIDE_BITS = 8 * sizeof(wide) };

enum { NINE = 9, SEVENTEEN = 17, FIVES = 27, TENS = 19 };

/* five[s] is 5^s: all of them that fit 64 bits. */
static const uint64_t five[FIVES + 1] = {
    1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625,
    1220703125, 6103515625, 30517578125, 152587890625, 762939453125, 3814697265625,
    19073486328125, 95367431640625, 476837158203125, 2384185791015625, 11920928955078125,
    59604644775390625, 298023223876953125, 1490116119384765625, 7450580596923828125
};

/* A whole number that is not 0: m 2^e, where m has so many bits. */
struct binary {
    uint64_t m;
    int bits, e;
};

/* The same in decimal digits, as many as are wanted. The first, which is not 0, counts 10^power. */
struct decimal {
    uint64_t digits;
    int power;
};

/* The bits of 5^s, for s up to 60. The power of ten at 2^q or below it, for all q of doubles. */
static inline int five_bits(int s)
{
    return (s * 76085 >> 15) + 1;
}

static inline int power_below(int q)
{
    enum { BIAS = 400 };
    return ((q * 78913 + BIAS * 0x40000) >> 18) - BIAS;
}

/* n / 2^shift to the nearest whole number, a tie to the even one. */
#define SHIFT_DOWN(name, type)                                          \
    static inline uint64_t name(type n, int shift)                      \
    {                                                                   \
        if (shift <= 0)                                                 \
            return (uint64_t)n << -shift;                               \
        type even = (n >> shift) & 1, half = (type)1 << (shift - 1);    \
        return (uint64_t)((n + (half - 1) + even) >> shift);            \
    }
SHIFT_DOWN(shift_down, wide)
SHIFT_DOWN(shift_down_64, uint64_t)

/* *digits becomes m 2^e 10^s, rounded so; false where the work does not fit. Where s is below 0,
 * the number is whole, because it has more digits than m. Then there is no tie: m 2^e would be an
 * odd multiple of 5^-s 2^(-s-1), but e is larger than -s - 1. */
static bool scale(struct binary x, int s, uint64_t *digits)
{
    if (s >= 0) {
        int shift = -(x.e + s);
        if (x.bits + five_bits(s) >= WIDE_BITS || shift >= WIDE_BITS)
            return false;
        wide power = s > FIVES ? (wide)five[FIVES] * five[s - FIVES] : five[s];
        *digits = shift_down(x.m * power, shift);
        return true;
    }
    if (x.e < 0 || x.bits + x.e >= WIDE_BITS || s < -TENS)
        return false;
    wide n = (wide)x.m << x.e, by = (wide)five[-s] << -s, whole = n / by, rest = n % by;
    *digits = (uint64_t)whole + (rest > by / 2);
    return true;
}

/* The estimate of the power is right, or one too low: then there is a digit too many. So there is
 * where rounding carries into a new digit. */
static bool find_digits(struct binary x, int places, uint64_t most, struct decimal *d)
{
    d->power = power_below(x.e + x.bits - 1);
    if (!scale(x, places - 1 - d->power, &d->digits))
        return false;
    if (d->digits < most)
        return true;
    d->power++;
    return scale(x, places - 1 - d->power, &d->digits);
}

/* Eight decimal digits from two numbers below 10000, leading zeros too, one a byte; the first digit
 * is the lowest byte. All lanes are divided at once. Where t is v / 10, the lane with v becomes t,
 * and v - 10 t in the byte above: in one number 256 v - 2559 t. */
static inline uint64_t eight_digits(uint32_t high, uint32_t low)
{
    uint64_t four = high | (uint64_t)low << 32;
    uint64_t hundreds = (four * 10486 >> 20) & 0x7f0000007f;
    uint64_t two = (four << 16) - hundreds * ((100 << 16) - 1);
    uint64_t tens = (two * 103 >> 10) & 0x000f000f000f000f;
    return (two << 8) - tens * ((10 << 8) - 1);
}

static const uint64_t zeros = 0x3030303030303030; /* "00000000" */

static inline void put_eight(char *to, uint64_t text)
{
    text = little_u8(text);
    memcpy(to, &text, 8);
}

/* How many of the eight are left without the zeros at their end. */
static inline int without_zeros(uint64_t digits)
{
    unsigned end = (unsigned)__builtin_ctzll(__builtin_bswap64(digits) | (uint64_t)1 << 63) / 8;
    return 8 - (int)end - (digits == 0);
}

/* "e", the sign, and the exponent in at least two digits. */
static char *put_exponent(char *to, int power)
{
    int size = power < 0 ? -power : power;
    *to++ = 'e';
    *to++ = power < 0 ? '-' : '+';
    if (size >= 100)
        *to++ = (char)('0' + size / 100);
    *to++ = (char)('0' + size / 10 % 10);
    *to++ = (char)('0' + size % 10);
    return to;
}

/* The digits of a number as text: the first, and twice eight. The first n of them remain when zeros
 * at the end are taken away. */
struct digit_text {
    char first;
    uint64_t next, last;
    int n;
};

/* The same where the exponent is printed. */
static AWAY char *put_scientific(char *to, struct digit_text d, int power)
{
    to[0] = d.first;
    to[1] = '.';
    put_eight(to + 2, d.next);
    put_eight(to + 10, d.last);
    return put_exponent(d.n > 1 ? to + d.n + 1 : to + 1, power);
}

/* Writes the digits as "%g" does. Pieces of eight bytes are stored over what is not needed, and
 * what is stored is never loaded: that would take longer than all the rest. */
static inline char *put_digits(char *to, struct digit_text d, int places, int power)
{
    if (power >= places || power < -4)
        return put_scientific(to, d, power);
    if (power < 0) {
        memcpy(to, "0.000000", 8);
        to += 1 - power;
    }
    to[0] = d.first;
    put_eight(to + 1, d.next);
    if (places > NINE)
        put_eight(to + 9, d.last);
    if (power < 0)
        return to + d.n;
    to[power + 1] = '.';
    if (power < 8) {
        put_eight(to + power + 2, d.next >> 8 * power);
        if (places > NINE)
            put_eight(to + 10, d.last);
    } else if (places > NINE) {
        put_eight(to + power + 2, d.last >> 4 * (power - 8) >> 4 * (power - 8));
    }
    return d.n > power + 1 ? to + d.n + 1 : to + power + 1;
}

/* The same for any number. */
static AWAY char *put_whole(char *to, uint64_t value)
{
    char text[TEXT_DIGITS];
    const char *from = text_from_number(text, value);
    size_t n = (size_t)(text + TEXT_DIGITS - 1 - from);
    memcpy(to, from, n);
    return to + n;
}

char *digits_whole(char *to, uint64_t value)
{
    if (value >= 100000000)
        return put_whole(to, value);
    uint64_t digits = eight_digits((uint32_t)value / 10000, (uint32_t)value % 10000);
    unsigned leading = (unsigned)__builtin_ctzll(digits | (uint64_t)1 << 56) / 8;
    put_eight(to, (digits | zeros) >> 8 * leading);
    return to + 8 - leading;
}

static inline char *put_nine(char *to, struct decimal d)
{
    uint32_t digits = (uint32_t)d.digits, first = digits / 100000000, five_more = digits / 10000;
    uint64_t next = eight_digits(five_more - 10000 * first, digits - 10000 * five_more);
    struct digit_text text = { (char)('0' + first), next | zeros, 0, 1 + without_zeros(next) };
    return put_digits(to, text, NINE, d.power);
}

static char *put_seventeen(char *to, struct decimal d)
{
    uint32_t high = (uint32_t)(d.digits / 100000000), low = (uint32_t)(d.digits % 100000000);
    uint32_t first = high / 100000000, rest = high % 100000000;
    uint64_t next = eight_digits(rest / 10000, rest % 10000);
    uint64_t last = eight_digits(low / 10000, low % 10000);
    struct digit_text text = { (char)('0' + first), next | zeros, last | zeros,
                               last ? 9 + without_zeros(last) : 1 + without_zeros(next) };
    return put_digits(to, text, SEVENTEEN, d.power);
}

/* By printf, whatever the number. */
static AWAY char *put_slowly(char *to, double value, int places)
{
    char text[DIGITS_ROOM];
    size_t n = (size_t)snprintf(text, sizeof text, "%.*g", places, value);
    memcpy(to, text, n);
    return to + n;
}

/* m 2^e by wide numbers, or by printf; `value` is the same number. */
static char *put_wide(char *to, uint64_t m, int e, double value, int places)
{
    struct decimal d;
    struct binary x = { m, 64 - __builtin_clzll(m), e };
    bool nine = places == NINE;
    if (!find_digits(x, places, nine ? 1000000000 : 100000000000000000, &d))
        return put_slowly(to, value, places);
    return nine ? put_nine(to, d) : put_seventeen(to, d);
}

/* As digits_nine, of a number that is not below 0. */
static AWAY char *put_any_nine(char *to, uint32_t bits)
{
    float value;
    uint32_t exponent = bits >> 23, fraction = bits & 0x7fffff;
    memcpy(&value, &bits, sizeof value);
    if (bits == 0) {
        *to = '0';
        return to + 1;
    }
    if (exponent == 255)
        return put_slowly(to, (double)value, NINE);
    return exponent ? put_wide(to, fraction | 0x800000, (int)exponent - 150, (double)value, NINE)
                    : put_wide(to, fraction, -149, (double)value, NINE);
}

/* From 2^-29 up to 2^29, s is from 0 to 17, and 64 bits hold what shift_down needs: m 5^s is less
 * than 0.7 * 2^64, and what is added to round it less than 2^35. If rounding carries into a tenth
 * digit, put_any_nine takes one digit less. */
char *digits_nine(char *to, float value)
{
    /* The least floats that are not below 1e-8, 1e-7 ... 1e9. */
    static const float ten[] = {
        1.00000008e-08f, 1.00000001e-07f, 1.00000011e-06f, 1.00000007e-05f,
        0.000100000005f, 0.00100000005f, 0.0100000007f, 0.100000001f,
        1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f
    };
    uint32_t bits, next;
    memcpy(&bits, &value, sizeof bits);
    *to = '-';
    to += bits >> 31;
    bits &= 0x7fffffff;
    int q = (int)(bits >> 23) - 127, power = power_below(q);
    if (q < -29 || q >= 29)
        return put_any_nine(to, bits);
    memcpy(&next, &ten[power + 9], sizeof next);
    power += bits >= next;
    uint64_t m = (bits & 0x7fffff) | 0x800000;
    int s = NINE - 1 - power;
    uint64_t digits = shift_down_64(m * five[s], 23 - q - s);
    if (digits >= 1000000000)
        return put_any_nine(to, bits);
    return put_nine(to, (struct decimal){ digits, power });
}

char *digits_seventeen(char *to, double value)
{
    uint64_t bits, hidden = (uint64_t)1 << 52;
    memcpy(&bits, &value, sizeof bits);
    *to = '-';
    to += bits >> 63;
    bits &= INT64_MAX;
    int exponent = (int)(bits >> 52);
    if (bits == 0) {
        *to = '0';
        return to + 1;
    }
    memcpy(&value, &bits, sizeof value);
    if (exponent == 0 || exponent == 2047)
        return put_slowly(to, value, SEVENTEEN);
    return put_wide(to, (bits & (hidden - 1)) | hidden, exponent - 1075, value, SEVENTEEN);
}
