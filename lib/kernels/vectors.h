/* vectors: marks functions that are compiled for processors with wider vectors than all have. They
 * give the same bits as those for every machine, because the code fixes the order of all additions.
 * With -DPORTABLE only the code for every machine is compiled. */
#ifndef RANKPIPE_VECTORS_H
#define RANKPIPE_VECTORS_H

/* Marks a function that is inlined into the functions for each kind of processor. */
#define VECTORS_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__) && !defined(PORTABLE)
#define VECTORS_X86 1

/* For CRC-32C by an instruction; for vectors of 32 bytes; for vectors of 64 bytes. */
#define VECTORS_SSE42 __attribute__((target("sse4.2,pclmul")))
#define VECTORS_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define VECTORS_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#else
#define VECTORS_X86 0
#endif

#endif
