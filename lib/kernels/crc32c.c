#include "kernels/crc32c.h"

#include <string.h>

#include "kernels/vectors.h"

#if VECTORS_X86
#include <immintrin.h>
#endif

/* ---- portable: 16 bytes at once, by one table for each (Kounavis & Berry 2005, slicing) ---- */

/* Row k of `table` has the CRC of each byte with k zero bytes after it. It is linear: the entry of
 * a byte is the sum, without carry, of those of its bits, which are given. */
/* clang-format off */ /* It takes & for an address. */
#define ENTRY(i, a, b, c, d, e, f, g, h)                                                          \
    (((i) & 1 ? a : 0u) ^ ((i) & 2 ? b : 0u) ^ ((i) & 4 ? c : 0u) ^ ((i) & 8 ? d : 0u) ^           \
     ((i) & 16 ? e : 0u) ^ ((i) & 32 ? f : 0u) ^ ((i) & 64 ? g : 0u) ^ ((i) & 128 ? h : 0u))
/* clang-format on */
#define FOUR(i, ...)                                                                              \
    ENTRY(i, __VA_ARGS__), ENTRY((i) + 1, __VA_ARGS__), ENTRY((i) + 2, __VA_ARGS__),               \
        ENTRY((i) + 3, __VA_ARGS__)
#define SIXTEEN(i, ...)                                                                           \
    FOUR(i, __VA_ARGS__), FOUR((i) + 4, __VA_ARGS__), FOUR((i) + 8, __VA_ARGS__),                  \
        FOUR((i) + 12, __VA_ARGS__)
#define SIXTY_FOUR(i, ...)                                                                        \
    SIXTEEN(i, __VA_ARGS__), SIXTEEN((i) + 16, __VA_ARGS__), SIXTEEN((i) + 32, __VA_ARGS__),       \
        SIXTEEN((i) + 48, __VA_ARGS__)
#define ROW(...)                                                                                  \
    { SIXTY_FOUR(0, __VA_ARGS__), SIXTY_FOUR(64, __VA_ARGS__), SIXTY_FOUR(128, __VA_ARGS__),       \
      SIXTY_FOUR(192, __VA_ARGS__) }

enum { SLICES = 16 };

static const uint32_t table[SLICES][256] = {
    ROW(0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf,
        0x105ec76f, 0x20bd8ede, 0x417b1dbc, 0x82f63b78),
    ROW(0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8,
        0x3fc5f181, 0x7f8be302, 0xff17c604, 0xfbc3faf9),
    ROW(0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5,
        0x70a27d8a, 0xe144fb14, 0xc76580d9, 0x8b277743),
    ROW(0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6,
        0xe964b13d, 0xd725148b, 0xaba65fe7, 0x52a0c93f),
    ROW(0x38116fac, 0x7022df58, 0xe045beb0, 0xc5670b91,
        0x8f2261d3, 0x1ba8b557, 0x37516aae, 0x6ea2d55c),
    ROW(0xef306b19, 0xdb8ca0c3, 0xb2f53777, 0x6006181f,
        0xc00c303e, 0x85f4168d, 0x0e045beb, 0x1c08b7d6),
    ROW(0x68032cc8, 0xd0065990, 0xa5e0c5d1, 0x4e2dfd53,
        0x9c5bfaa6, 0x3d5b83bd, 0x7ab7077a, 0xf56e0ef4),
    ROW(0x493c7d27, 0x9278fa4e, 0x211d826d, 0x423b04da,
        0x847609b4, 0x0d006599, 0x1a00cb32, 0x34019664),
    ROW(0xf43ed648, 0xed91da61, 0xdecfc233, 0xb873f297,
        0x750b93df, 0xea1727be, 0xd1c2398d, 0xa66805eb),
    ROW(0xcb567ba5, 0x934081bb, 0x236d7587, 0x46daeb0e,
        0x8db5d61c, 0x1e87dac9, 0x3d0fb592, 0x7a1f6b24),
    ROW(0x9771f7c1, 0x2b0f9973, 0x561f32e6, 0xac3e65cc,
        0x5d90bd69, 0xbb217ad2, 0x73ae8355, 0xe75d06aa),
    ROW(0x3171d430, 0x62e3a860, 0xc5c750c0, 0x8e62d771,
        0x1929d813, 0x3253b026, 0x64a7604c, 0xc94ec098),
    ROW(0x30d23865, 0x61a470ca, 0xc348e194, 0x837db5d9,
        0x03171d43, 0x062e3a86, 0x0c5c750c, 0x18b8ea18),
    ROW(0x54075546, 0xa80eaa8c, 0x55f123e9, 0xabe247d2,
        0x5228f955, 0xa451f2aa, 0x4d4f93a5, 0x9a9f274a),
    ROW(0x678efd01, 0xcf1dfa02, 0x9bd782f5, 0x3243731b,
        0x6486e636, 0xc90dcc6c, 0x97f7ee29, 0x2a03aaa3),
    ROW(0xf20c0dfe, 0xe1f46d0d, 0xc604aceb, 0x89e52f27,
        0x162628bf, 0x2c4c517e, 0x5898a2fc, 0xb13145f8),
};

static uint32_t four_bytes(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The part of the sum that is of four bytes with so many zero bytes after them. */
static uint32_t four_slices(uint32_t four, unsigned after)
{
    return table[after + 3][four & 255] ^ table[after + 2][four >> 8 & 255] ^
           table[after + 1][four >> 16 & 255] ^ table[after][four >> 24];
}

uint32_t crc32c_portable(uint32_t crc, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    uint32_t left = ~crc;
    for (; n >= SLICES; n -= SLICES, at += SLICES)
        left = four_slices(left ^ four_bytes(at), 12) ^ four_slices(four_bytes(at + 4), 8) ^
               four_slices(four_bytes(at + 8), 4) ^ four_slices(four_bytes(at + 12), 0);
    for (; n > 0; n--, at++)
        left = left >> 8 ^ table[0][(left ^ *at) & 255];
    return ~left;
}

/* The product of two polynomials modulo that of the CRC. The highest bit is that of x^0. */
static uint32_t product(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (; a; a <<= 1) {
        sum ^= a >> 31 ? b : 0;
        b = b >> 1 ^ (b & 1 ? 0x82f63b78 : 0);
    }
    return sum;
}

uint32_t crc32c_join(uint32_t before, uint32_t after, uint64_t n)
{
    uint32_t power = (uint32_t)1 << (31 - 8); /* x^8, then its square, ... */
    for (; n; n >>= 1, power = product(power, power))
        before = n & 1 ? product(before, power) : before;
    return before ^ after;
}

/* ---- SSE4.2 and PCLMULQDQ: three pieces at once ---- */

#if VECTORS_X86
#define SSE42 __attribute__((target("sse4.2,pclmul")))
#define SSE42_INLINE VECTORS_INLINE SSE42

SSE42_INLINE uint64_t eight_bytes(const unsigned char *at)
{
    uint64_t eight;
    memcpy(&eight, at, sizeof eight);
    return eight;
}

/* The product of a CRC and of a power of x, without carry. */
SSE42_INLINE uint64_t times(uint64_t crc, uint32_t power)
{
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)crc),
                                           _mm_cvtsi32_si128((int)power), 0);
    return (uint64_t)_mm_cvtsi128_si64(product);
}

/* Three pieces, each of `piece` bytes, at once: the instruction gives its result after three
 * cycles, and can begin in each. `once` and `twice` are x^(8 piece - 33) and x^(16 piece - 33)
 * modulo the polynomial: times them, and reduced, a CRC is that of its bytes with one piece or two
 * of zeros after them. */
SSE42_INLINE uint64_t three_pieces(uint64_t crc, const unsigned char *at, size_t piece,
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

SSE42 static uint32_t crc32c_sse42(uint32_t crc, const void *bytes, size_t n)
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
#endif

uint32_t crc32c(uint32_t crc, const void *bytes, size_t n)
{
#if VECTORS_X86
    if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul"))
        return crc32c_sse42(crc, bytes, n);
#endif
    return crc32c_portable(crc, bytes, n);
}
