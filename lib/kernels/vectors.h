/* vectors: the order of every long sum, and marks for functions that gain from wider vectors than
 * every machine has.
 *
 * Number j is added to lane j mod 16, and the lanes are added by halves, 8-4-2-1. The code fixes
 * the order of all additions, so the bits are the same whatever vectors the machine has. */
#ifndef RANKPIPE_VECTORS_H
#define RANKPIPE_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h> /* has __GLIBC__, too */

/* Is there code for some processors beside that for all? The C library has to choose it when a
 * program starts: glibc does. Under gcc's thread sanitizer that crashes. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_THREAD__) && !defined(PORTABLE)
#define VECTORS_X86 1
#else
#define VECTORS_X86 0
#endif

/* Marks a function that gcc compiles for AVX2 and for every machine; and one that it compiles for
 * AVX-512, too, as whole numbers of 64 bits gain from its instructions. What they call in their
 * file is VECTORS_INLINE, and so compiled with them. clang has such functions under other names
 * than gcc: it gets the one for every machine. */
#if VECTORS_X86 && !defined(__clang__)
#define VECTORS_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define VECTORS_CLONES
#endif
#if VECTORS_X86 && !defined(__clang__) && __GNUC__ >= 12
#define VECTORS_CLONES_512 __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define VECTORS_CLONES_512 VECTORS_CLONES
#endif
#define VECTORS_INLINE static inline __attribute__((always_inline))

/* Marks a function with instructions of AVX-512; does this processor have them? */
#if VECTORS_X86
#define VECTORS_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
static inline bool vectors_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

enum { LANES = 16 };

/* The sum of the lanes, which are overwritten. */
static inline double sum_lanes(double lane[LANES])
{
    for (size_t half = LANES / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

#endif
