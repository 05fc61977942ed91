#include "base/crc32c_sse.h"

#if defined(__x86_64__) && !defined(PORTABLE)

#include <immintrin.h>
#include <string.h>

#define SSE __attribute__((target("sse4.2,pclmul")))
#define SSE_INLINE static inline __attribute__((always_inline)) SSE

bool crc32c_sse_runs(void)
{
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}

SSE_INLINE uint64_t eight_bytes(const unsigned char *at)
{
    uint64_t eight;
    memcpy(&eight, at, sizeof eight);
    return eight;
}

/* The product of a CRC and of a power of x, without carry. */
SSE_INLINE uint64_t times(uint64_t crc, uint32_t power)
{
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)crc),
                                           _mm_cvtsi32_si128((int)power), 0);
    return (uint64_t)_mm_cvtsi128_si64(product);
}

/* Three pieces, each of `piece` bytes, at once: the instruction gives its result after three
 * cycles, and can begin in each. `once` and `twice` are x^(8 piece - 33) and x^(16 piece - 33)
 * modulo the polynomial: times them, and reduced, a CRC is that of its bytes with one piece or two
 * of zeros after them. */
SSE_INLINE uint64_t three_pieces(uint64_t crc, const unsigned char *at, size_t piece,
                                 uint32_t once, uint32_t twice)
{
    uint64_t second = 0, third = 0;
    for (size_t i = 0; i < piece; i += 8) {
        crc = _mm_crc32_u64(crc, eight_bytes(at + i));
        second = _mm_crc32_u64(second, eight_bytes(at + i + piece));
        third = _mm_crc32_u64(third, eight_bytes(at + i + 2 * piece));
    }
    return third ^ _mm_crc32_u64(0, times(crc, twice) ^ times(second, once));
}

enum { LONG = 1024, SHORT = 128 };

SSE uint32_t crc32c_sse(uint32_t crc, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    uint64_t left = ~crc;
    for (; n >= 3 * LONG; n -= 3 * LONG, at += 3 * LONG)
        left = three_pieces(left, at, LONG, 0x170076fa, 0xa51b6135);
    for (; n >= 3 * SHORT; n -= 3 * SHORT, at += 3 * SHORT)
        left = three_pieces(left, at, SHORT, 0x0d3b6092, 0xb9e02b86);
    for (; n >= 8; n -= 8, at += 8)
        left = _mm_crc32_u64(left, eight_bytes(at));
    for (; n > 0; n--, at++)
        left = _mm_crc32_u8((uint32_t)left, *at);
    return ~(uint32_t)left;
}

#else

bool crc32c_sse_runs(void)
{
    return false;
}

uint32_t crc32c_sse(uint32_t crc, const void *bytes, size_t n)
{
    (void)bytes, (void)n;
    return crc;
}

#endif
