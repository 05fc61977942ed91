/* vectors: compiles code twice, for every machine and for machines with wide vectors. Both give the
 * same bits, because the code fixes the order of all additions. With -DPORTABLE only the code for
 * every machine is compiled, here and in text/features. */
#ifndef RANKPIPE_VECTORS_H
#define RANKPIPE_VECTORS_H

#include <stdbool.h>

/* Marks a function that is inlined into the functions for both kinds of machine. */
#define VECTORS_INLINE static inline __attribute__((always_inline))

/* Marks the function for wide vectors, which may run only if vectors_wide() is true. */
#if defined(__x86_64__) && !defined(PORTABLE)
#define VECTORS_WIDE __attribute__((target("avx2")))
#else
#define VECTORS_WIDE
#endif

static inline bool vectors_wide(void)
{
#if defined(__x86_64__) && !defined(PORTABLE)
    return __builtin_cpu_supports("avx2") != 0;
#else
    return false;
#endif
}

#endif
