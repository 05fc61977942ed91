/* unaligned: numbers out of a stream's bytes, which are little-endian as we are, and not aligned.
 */
#ifndef RANKPIPE_UNALIGNED_H
#define RANKPIPE_UNALIGNED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t unaligned_u4(const void *p)
{
    uint32_t u;
    memcpy(&u, p, sizeof u);
    return u;
}

static inline float unaligned_f4(const void *p)
{
    float f;
    memcpy(&f, p, sizeof f);
    return f;
}

static inline double unaligned_f8(const void *p)
{
    double d;
    memcpy(&d, p, sizeof d);
    return d;
}

/* Are n numbers f8 all finite? In others the exponent's bits are all set: one more carries into the
 * sign's place. Without a jump, as it is asked so often: who is told no looks for the one. */
static inline bool unaligned_finite(const void *p, size_t n)
{
    uint64_t bits, carried = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(&bits, (const unsigned char *)p + i * sizeof bits, sizeof bits);
        carried |= (bits & INT64_MAX) + ((uint64_t)1 << 52);
    }
    return carried >> 63 == 0;
}

#endif
