/* vectors: compiles a function twice, for every machine and for those with wide vectors. Both give
 * the same bits, because the code fixes the order of all sums. */
#ifndef RANKPIPE_VECTORS_H
#define RANKPIPE_VECTORS_H

#include <stdbool.h>

/* Marks a function that is inlined into both versions, and compiled for the machine of each. */
#define VECTORS_INLINE static inline __attribute__((always_inline))

/* Marks the version for wide vectors, which is called where vectors_wide() is true. */
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
