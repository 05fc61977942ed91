/* unaligned: reads numbers from the payload of a record in memory, where they are the machine's own
 * (little.h), and not aligned. */
#ifndef RANKPIPE_UNALIGNED_H
#define RANKPIPE_UNALIGNED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t unaligned_u2(const void *p)
{
    uint16_t u;
    memcpy(&u, p, sizeof u);
    return u;
}

static inline uint32_t unaligned_u4(const void *p)
{
    uint32_t u;
    memcpy(&u, p, sizeof u);
    return u;
}

static inline uint64_t unaligned_u8(const void *p)
{
    uint64_t u;
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

/* Are all of n numbers f8 finite? In any other number all bits of the exponent are set, so that
 * adding 1 to it carries into the sign bit. The loop has no branch, because it runs often; where
 * the answer is no, the caller looks for the number. */
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
