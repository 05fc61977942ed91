/* plain_features: reads the words index:value of a document, as many as are plain, fast. */
#ifndef RANKPIPE_PLAIN_FEATURES_H
#define RANKPIPE_PLAIN_FEATURES_H

#include <stdint.h>

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
 * line follows.
 *
 * `end` is the NUL at the end of the line, and `ahead` the first byte after it that must not be
 * read. */
const char *plain_features(struct feature_row *row, const char *p, const char *end,
                           const char *ahead);

/* The definition: plain_features gives the same to the bit, on some processors faster. */
const char *plain_features_portable(struct feature_row *row, const char *p, const char *end,
                                    const char *ahead);

#endif
