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

/* decimal_float, with the digits after the point eight at a time if they seem to be many. */
static inline const char *feature_value(const char *p, const char *ahead, float *value)
{
    bool minus = *p == '-';
    const char *from = p + minus;
    uint64_t digits = 0;
    p = decimal_digits(from, &digits);
    ptrdiff_t n = p - from, places = 0;
    if (*p == '.') {
        const char *fraction = p + 1;
        bool many = ahead - fraction >= 8 && fraction[2] >= '0' && fraction[2] <= '9';
        p = decimal_digits(many ? feature_eight(fraction, &digits) : fraction, &digits);
        places = p - fraction;
        n += places;
    }
    if (n < 1 || n > DECIMAL_DIGITS || !text_ends_number(*p) ||
        !decimal_round(digits, -(int)places, value))
        return decimal_float(minus ? from - 1 : from, value);
    *value = minus ? -*value : *value;
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
