/* vectors: one piece of code compiled twice, for every machine and for those with wide vectors.
 * Both give the same bits: what is added to what, and in which order, is written in the code. */
#ifndef RANKPIPE_VECTORS_H
#define RANKPIPE_VECTORS_H

#include <stdbool.h>

/* Of a function that others are to have within them, as their machine has it. */
#define VECTORS_INLINE static inline __attribute__((always_inline))

/* Of the function for wide vectors, which is called where vectors_wide() says so. */
#if defined(__x86_64__)
#define VECTORS_WIDE __attribute__((target("avx2")))
#else
#define VECTORS_WIDE
#endif

static inline bool vectors_wide(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0;
#else
    return false;
#endif
}

#endif
