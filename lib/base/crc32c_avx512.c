#include "base/crc32c_avx512.h"

#if defined(__x86_64__) && !defined(PORTABLE) && (__GNUC__ >= 9 || __clang_major__ >= 7)

#include <immintrin.h>

#include "base/crc32c_sse.h"

#define AVX512 __attribute__((target("sse4.2,pclmul,avx512f,avx512vl,vpclmulqdq")))
#define AVX512_INLINE static inline __attribute__((always_inline)) AVX512

bool crc32c_avx512_runs(void)
{
    return crc32c_sse_runs() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("vpclmulqdq");
}

enum { BLOCK = 64, FOUR = 4 * BLOCK };

/* Gopal et al. 2009: 16 bytes with d bytes after them have the same remainder as their halves times
 * x^(8d + 31) and x^(8d - 33), both modulo the polynomial, at the place of the last 16 of these
 * bytes. Pairs of these powers, by d. */
static const uint64_t after_256[2] = { 0xdcb17aa4, 0xb9e02b86 };
static const uint64_t after_64[2] = { 0x740eef02, 0x9e4addf8 };
static const uint64_t after_48_32_16_0[8] = {
    0x1c291d04, 0xddc0152b, 0x3da6d0cb, 0xba4fc28e, 0xf20c0dfe, 0x493c7d27, 0, 0
};

AVX512_INLINE __m512i in_all(const uint64_t pair[2])
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)pair));
}

/* Moves four times 16 bytes on, and adds others there. */
AVX512_INLINE __m512i fold(__m512i x, __m512i powers, __m512i others)
{
    return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(x, powers, 0x00),
                                     _mm512_clmulepi64_epi128(x, powers, 0x11), others, 0x96);
}

/* The CRC of one block, to begin with 0. */
AVX512_INLINE uint64_t reduce(__m512i x)
{
    __m512i moved = fold(x, _mm512_loadu_si512(after_48_32_16_0), _mm512_setzero_si512());
    __m128i sum = _mm_xor_si128(
        _mm_xor_si128(_mm512_castsi512_si128(moved), _mm512_extracti32x4_epi32(moved, 1)),
        _mm_xor_si128(_mm512_extracti32x4_epi32(moved, 2), _mm512_extracti32x4_epi32(x, 3)));
    uint64_t crc = _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(sum));
    return _mm_crc32_u64(crc, (uint64_t)_mm_extract_epi64(sum, 1));
}

/* Four blocks, and all others of four that follow: *at moves after them. */
AVX512_INLINE __m512i by_four(__m512i first, const unsigned char **at, size_t *n)
{
    const __m512i far = in_all(after_256), near = in_all(after_64);
    __m512i x[4] = { first };
    for (int i = 1; i < 4; i++)
        x[i] = _mm512_loadu_si512(*at + i * BLOCK);
    for (*at += FOUR, *n -= FOUR; *n >= FOUR; *at += FOUR, *n -= FOUR)
        for (int i = 0; i < 4; i++)
            x[i] = fold(x[i], far, _mm512_loadu_si512(*at + i * BLOCK));
    return fold(fold(fold(x[0], near, x[1]), near, x[2]), near, x[3]);
}

AVX512 uint32_t crc32c_avx512(uint32_t crc, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    if (n < BLOCK)
        return crc32c_sse(crc, bytes, n);
    __m512i x = _mm512_xor_si512(_mm512_loadu_si512(at),
                                 _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)~crc)));
    if (n >= FOUR) {
        x = by_four(x, &at, &n);
    } else {
        at += BLOCK;
        n -= BLOCK;
    }
    for (; n >= BLOCK; at += BLOCK, n -= BLOCK)
        x = fold(x, in_all(after_64), _mm512_loadu_si512(at));
    return crc32c_sse(~(uint32_t)reduce(x), at, n);
}

#else

bool crc32c_avx512_runs(void)
{
    return false;
}

uint32_t crc32c_avx512(uint32_t crc, const void *bytes, size_t n)
{
    (void)bytes, (void)n;
    return crc;
}

#endif
