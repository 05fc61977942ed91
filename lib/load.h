/* load: numbers out of a stream's bytes, which are little-endian as we are, and not aligned. */
#ifndef RANKPIPE_LOAD_H
#define RANKPIPE_LOAD_H

#include <stdint.h>
#include <string.h>

static inline uint32_t load_u4(const void *p)
{
    uint32_t u;
    memcpy(&u, p, sizeof u);
    return u;
}

static inline float load_f4(const void *p)
{
    float f;
    memcpy(&f, p, sizeof f);
    return f;
}

static inline double load_f8(const void *p)
{
    double d;
    memcpy(&d, p, sizeof d);
    return d;
}

#endif
