/* feature: what it is to read plain words index:value, and how to read one, in portable C. */
#ifndef RANKPIPE_FEATURE_H
#define RANKPIPE_FEATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/little.h"
#include "base/text.h"
#include "text/decimal.h"

/* The features of a document while they are read. Indices are those of the text minus `first`. */
struct feature_row {
    uint32_t first; /* the index of the first feature in the text: 0 or 1        */
    uint64_t least; /* the next index is at least this ...                       */
    uint64_t most;  /* ... and below this, which is at most 2^31                 */
    uint32_t *idx;  /* where the next index and the next value go; there is room */
    float *val;     /* for one in three bytes of text, and FEATURES_SPARE more   */
};
enum { FEATURES_SPARE = 4 };

/* Reads plain features from p, the first byte of a word, on. Returns the first byte of a word that
 * is not a plain feature, or the end of the line, or the start of its comment. Moves `least`, `idx`
 * and `val` past what was read. The caller reads a word that is not plain by other means, and may
 * call again after it.
 *
 * A plain feature is right beyond doubt: its index has at most DECIMAL_DIGITS digits and is in
 * range, its value is a decimal number that decimal_float takes, and a blank, a # or the end of the
 * line follows. All readers give the same, to the bit: features_portable is the definition.
 *
 * `end` is the NUL at the end of the line, and `ahead` the first byte after it that must not be
 * read. */
typedef const char *features_reader(struct feature_row *row, const char *p, const char *end,
                                    const char *ahead);

/* Appends up to eight digits at p to *digits; all eight bytes may be read. Returns where they end.
 * All are looked at together: the lowest bit of `others` is in the first byte that is not a digit.
 * Neighbours are joined to pairs, then pairs to fours, then fours to eight. */
static inline const char *feature_eight(const char *p, uint64_t *digits)
{
    static const uint64_t ten[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 };
    uint64_t x;
    memcpy(&x, p, sizeof x);
    x = little_u8(x);
    x ^= 0x3030303030303030;
    uint64_t others = (x | (x + 0x7676767676767676)) & 0x8080808080808080;
    unsigned n = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
    if (n == 0)
        return p;
    x <<= 8 * (8 - n);
    x = (x * 10 + (x >> 8)) & 0x00ff00ff00ff00ff;
    x = (x * 100 + (x >> 16)) & 0x0000ffff0000ffff;
    x = (x * 10000 + (x >> 32)) & 0xffffffff;
    *digits = *digits * ten[n] + x;
    return p + n;
}

/* Reads the digits of a value, with or without a point; *digits is the first byte less '0'. Returns
 * where they end; *n is how many they are, of which *places are after the point. One digit before
 * the point is most usual. */
static inline const char *feature_digits(const char *p, const char *ahead, uint64_t *digits,
                                         ptrdiff_t *n, ptrdiff_t *places)
{
    const char *from = p, *fraction;
    if (*digits < 10 && p[1] == '.' && ahead - p >= 10) {
        fraction = p + 2;
        p = feature_eight(fraction, digits);
        if (p == fraction + 8)
            p = decimal_digits(p, digits);
        *places = p - fraction;
        *n = *places + 1;
        return p;
    }
    *digits = 0;
    p = decimal_digits(p, digits);
    *n = p - from;
    *places = 0;
    if (*p != '.')
        return p;
    fraction = p + 1;
    bool many = ahead - fraction >= 8 && fraction[2] >= '0' && fraction[2] <= '9';
    p = decimal_digits(many ? feature_eight(fraction, digits) : fraction, digits);
    *places = p - fraction;
    *n += *places;
    return p;
}

/* decimal_float, faster for what is usual. Most values have no sign: so a branch guesses where the
 * digits begin. If the sign were added, the processor would have to wait for it. */
static inline const char *feature_value(const char *p, const char *ahead, float *value)
{
    const char *from = p;
    uint32_t minus = 0, bits;
    uint64_t digits = (uint64_t)(unsigned char)*p - '0';
    ptrdiff_t n, places;
    if (__builtin_expect(digits >= 10, 0)) {
        minus = *p == '-';
        p += minus;
        digits = (uint64_t)(unsigned char)*p - '0';
    }
    p = feature_digits(p, ahead, &digits, &n, &places);
    if (n < 1 || n > DECIMAL_DIGITS || !text_ends_number(*p) ||
        !decimal_round(digits, -(int)places, value))
        return decimal_float(from, value);
    memcpy(&bits, value, sizeof bits);
    bits ^= minus << 31;
    memcpy(value, &bits, sizeof bits);
    return p;
}

/* Reads the feature at p if it is plain. Returns where it ends, or NULL. */
static inline const char *feature_plain(struct feature_row *row, const char *p,
                                        const char *ahead)
{
    uint64_t index = 0;
    const char *colon = decimal_digits(p, &index);
    index -= row->first;
    if (colon == p || *colon != ':' || colon - p > DECIMAL_DIGITS || index < row->least ||
        index >= row->most)
        return NULL;
    p = feature_value(colon + 1, ahead, row->val);
    if (!p)
        return NULL;
    *row->idx++ = (uint32_t)index;
    row->val++;
    row->least = index + 1;
    return p;
}

#endif
