/* unaligned: reads numbers from the payload of a record in memory, where they are the machine's own
 * (little.h), and not aligned. */
#ifndef RANKPIPE_UNALIGNED_H
#define RANKPIPE_UNALIGNED_H

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

#endif
