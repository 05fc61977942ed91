/* vectors: compiles code for every machine, and again for machines with wider vectors. All give the
 * same bits, because the code fixes the order of all additions. The widest that the processor has
 * is found once, when the program starts. With -DPORTABLE only the code for every machine is
 * compiled, here and in text/features. */
#ifndef RANKPIPE_VECTORS_H
#define RANKPIPE_VECTORS_H

#include <stdbool.h>

/* Marks a function that is inlined into the functions for each kind of machine. */
#define VECTORS_INLINE static inline __attribute__((always_inline))

/* Marks a function for vectors of 32 or 64 bytes, which may run only where vectors_best() is at
 * least VECTORS_32 or VECTORS_64. Elsewhere than on x86-64 they are plain functions. */
#if defined(__x86_64__) && !defined(PORTABLE)
#define VECTORS_WIDE __attribute__((target("avx2")))
#else
#define VECTORS_WIDE
#endif
#if defined(__x86_64__) && !defined(PORTABLE) && (defined(__clang__) || __GNUC__ >= 7)
#define VECTORS_WIDEST __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define VECTORS_HAVE_64 1
#else
#define VECTORS_WIDEST
#define VECTORS_HAVE_64 0
#endif

/* The kinds of machine. A table of functions for each has VECTORS_KINDS rows. */
enum vectors { VECTORS_PORTABLE, VECTORS_32, VECTORS_64, VECTORS_KINDS };

/* The best kind that this machine is. */
static inline enum vectors vectors_best(void)
{
#if VECTORS_HAVE_64
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return VECTORS_64;
#endif
#if defined(__x86_64__) && !defined(PORTABLE)
    if (__builtin_cpu_supports("avx2"))
        return VECTORS_32;
#endif
    return VECTORS_PORTABLE;
}

static inline bool vectors_wide(void)
{
    return vectors_best() >= VECTORS_32;
}

#endif
