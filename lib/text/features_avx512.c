#include "text/features_avx512.h"

#if defined(__x86_64__) && !defined(PORTABLE) && (__GNUC__ >= 9 || __clang_major__ >= 7)

#include <immintrin.h>

#define AVX512 __attribute__((target("avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl," \
                                     "avx512cd,avx512vbmi,avx512vbmi2")))
#define AVX512_INLINE static inline __attribute__((always_inline)) AVX512

bool features_avx512_runs(void)
{
    return __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2");
}

enum { BLOCK = 64, GROUP = 4 };

/* The next words of a line, up to four that end in a block of 64 bytes. Byte t of each vector is a
 * place of word t in the block: where it begins, its colon, its end, and its value behind the sign. */
struct words {
    unsigned count;
    __m128i start, colon, end, value;
    __mmask16 minus; /* bit t: value t has the sign - */
};

/* text - '0' of a block; bits of its bytes. */
AVX512_INLINE struct words find_words(__m512i text, size_t left)
{
    __mmask64 colons = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(':' - '0'));
    __mmask64 ends = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(' ' - '0')) |
                     _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('\t' - '0'));
    if (left < BLOCK) {
        uint64_t at = (uint64_t)1 << left;
        colons &= at - 1;
        ends = (ends & (at - 1)) | at;
    }
    __m512i places = _mm512_set_epi8(
        63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41,
        40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18,
        17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    unsigned count = (unsigned)_mm_popcnt_u64(colons), ended = (unsigned)_mm_popcnt_u64(ends);
    struct words words = { .count = ended < count ? ended : count };
    words.count = words.count < GROUP ? words.count : GROUP;
    words.colon = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(colons, places));
    words.end = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(ends, places));
    words.start = _mm_add_epi8(_mm_bslli_si128(words.end, 1), _mm_set_epi32(0, 0, 0, 0x01010100));
    words.value = _mm_add_epi8(words.colon, _mm_set1_epi8(1));
    __m512i sign = _mm512_permutexvar_epi8(_mm512_castsi128_si512(words.value), text);
    words.minus = _mm_cmpeq_epi8_mask(_mm512_castsi512_si128(sign), _mm_set1_epi8('-' - '0'));
    words.value = _mm_mask_add_epi8(words.value, words.minus, words.value, _mm_set1_epi8(1));
    return words;
}

/* 16 copies of byte t of `places` in lane t; 8 copies. */
AVX512_INLINE __m512i copy_16(__m128i places)
{
    __m512i lanes = _mm512_set_epi32(
        0x03030303, 0x03030303, 0x03030303, 0x03030303, 0x02020202, 0x02020202, 0x02020202,
        0x02020202, 0x01010101, 0x01010101, 0x01010101, 0x01010101, 0, 0, 0, 0);
    return _mm512_permutexvar_epi8(lanes, _mm512_castsi128_si512(places));
}

AVX512_INLINE __m512i copy_8(__m128i places)
{
    __m512i lanes = _mm512_set_epi32(0, 0, 0, 0, 0, 0, 0, 0, 0x03030303, 0x03030303, 0x02020202,
                                     0x02020202, 0x01010101, 0x01010101, 0, 0);
    return _mm512_permutexvar_epi8(lanes, _mm512_castsi128_si512(places));
}

/* The digits of each value at the end of a lane of 16 bytes, zeros before them; the point is taken
 * out. points: bit j of each 16 has been the point. False where a value is not plain digits, at most
 * 15 and a point or 16, the last byte a digit. */
AVX512_INLINE bool find_values(__m512i text, const struct words *words, __m512i *digits,
                               uint64_t *points)
{
    __m512i back = _mm512_broadcast_i32x4(_mm_set_epi8(-1, -2, -3, -4, -5, -6, -7, -8, -9, -10,
                                                       -11, -12, -13, -14, -15, -16));
    __m512i place = _mm512_add_epi8(copy_16(words->end), back);
    __mmask64 inside = _mm512_cmpge_epi8_mask(place, copy_16(words->value));
    __m512i x = _mm512_maskz_permutexvar_epi8(inside, place, text);
    uint64_t found = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('.' - '0'));
    uint64_t first_bits = 0x0001000100010001, last_bits = 0x8000800080008000;
    /* In each lane with a point, the bits up to it. It moves them on by one byte, over the point. */
    uint64_t with = ((found + (last_bits - first_bits)) & last_bits) >> 15;
    uint64_t before = found | (found - with);
    x = _mm512_mask_blend_epi8((__mmask64)before, x, _mm512_bslli_epi128(x, 1));
    *digits = x;
    *points = found;
    uint64_t wanted = _bzhi_u64(last_bits, 16 * words->count);
    __mmask16 too_long = _mm_cmplt_epi8_mask(words->value,
                                             _mm_sub_epi8(words->end, _mm_set1_epi8(16)));
    return ((~inside & wanted) | (found & last_bits) | (found & (found - with)) |
            _mm512_cmpgt_epu8_mask(x, _mm512_set1_epi8(9)) |
            (too_long & ((1u << words->count) - 1))) == 0;
}

/* The indices; false where they are not of 1 to 8 digits. */
AVX512_INLINE bool find_indices(__m512i text, const struct words *words, __m128i *index)
{
    __m512i back = _mm512_set1_epi64((long long)0xfffefdfcfbfaf9f8);
    __m512i place = _mm512_add_epi8(copy_8(words->colon), back);
    __mmask64 inside = _mm512_cmpge_epi8_mask(place, copy_8(words->start));
    __m256i x = _mm512_castsi512_si256(_mm512_maskz_permutexvar_epi8(inside, place, text));
    uint64_t wanted = _bzhi_u64(0x80808080, 8 * words->count);
    __mmask16 too_long = _mm_cmplt_epi8_mask(words->start,
                                             _mm_sub_epi8(words->colon, _mm_set1_epi8(8)));
    __mmask32 bad = _mm256_cmpgt_epu8_mask(x, _mm256_set1_epi8(9));
    x = _mm256_madd_epi16(_mm256_maddubs_epi16(x, _mm256_set1_epi16(0x010a)),
                          _mm256_set1_epi32(0x00010064));
    x = _mm256_add_epi64(_mm256_mul_epu32(x, _mm256_set1_epi64x(10000)), _mm256_srli_epi64(x, 32));
    *index = _mm256_cvtepi64_epi32(x);
    return ((~inside & wanted) | bad | (too_long & ((1u << words->count) - 1))) == 0;
}

/* The floats nearest to the values, as decimal_round has them; false where one is not certain. */
AVX512_INLINE bool round_values(__m512i digits, uint64_t points, __m128 *value)
{
    __m512i x = _mm512_madd_epi16(_mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x010a)),
                                  _mm512_set1_epi32(0x00010064));
    x = _mm512_madd_epi16(_mm512_packus_epi32(x, x), _mm512_set1_epi32(0x00012710));
    __m256i eights = _mm512_castsi512_si256(
        _mm512_permutexvar_epi64(_mm512_set_epi64(0, 0, 0, 0, 6, 4, 2, 0), x));
    __m256i whole = _mm256_add_epi64(_mm256_mul_epu32(eights, _mm256_set1_epi64x(100000000)),
                                     _mm256_srli_epi64(eights, 32));
    /* How many digits follow bit j of 16: 15 - j. Without a point 64, which is 0 modulo 16. */
    __m256i behind = _mm256_lzcnt_epi64(_mm256_cvtepu16_epi64(_mm_cvtsi64_si128((int64_t)points)));
    __m512d by = _mm512_permutex2var_pd(
        _mm512_set_pd(1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1e0), _mm512_castsi256_si512(behind),
        _mm512_set_pd(1e15, 1e14, 1e13, 1e12, 1e11, 1e10, 1e9, 1e8));
    __m256d ratio = _mm256_div_pd(_mm256_cvtepi64_pd(whole), _mm512_castpd512_pd256(by));
    __m256i off = _mm256_sub_epi64(_mm256_castpd_si256(ratio),
                                   _mm256_set1_epi64x(0x10000000 - 4));
    off = _mm256_and_si256(off, _mm256_set1_epi64x(0x1fffffff));
    *value = _mm256_cvtpd_ps(ratio);
    return _mm256_cmpgt_epi64_mask(off, _mm256_set1_epi64x(8)) == 15;
}

/* Do the first n of the indices rise, from least on and below most? */
AVX512_INLINE bool in_order(const struct features *features, __m128i index, unsigned n)
{
    int most = features->most > INT32_MAX ? INT32_MAX : (int)features->most;
    __m128i before = _mm_set1_epi32((int)((int64_t)features->least - 1));
    before = _mm_alignr_epi8(index, before, 12);
    __mmask8 right = _mm_cmpgt_epi32_mask(index, before) &
                     _mm_cmplt_epi32_mask(index, _mm_set1_epi32(most));
    return (~right & ((1u << n) - 1)) == 0;
}

/* Reads the words of a block at p, at most four. Returns where the last of them ends, or NULL where
 * they are not all plain; then none is read. */
AVX512_INLINE const char *take(struct features *features, const char *p, const char *end)
{
    __m512i text = _mm512_sub_epi8(_mm512_loadu_si512(p), _mm512_set1_epi8('0')), digits;
    struct words words = find_words(text, (size_t)(end - p));
    uint64_t points;
    __m128i index;
    __m128 value;
    unsigned n = words.count;
    if (n == 0 || !find_values(text, &words, &digits, &points) ||
        !find_indices(text, &words, &index) || !round_values(digits, points, &value))
        return NULL;
    index = _mm_sub_epi32(index, _mm_set1_epi32((int)features->first));
    if (!in_order(features, index, n))
        return NULL;
    value = _mm_castsi128_ps(_mm_mask_xor_epi32(
        _mm_castps_si128(value), (__mmask8)words.minus, _mm_castps_si128(value),
        _mm_set1_epi32(INT32_MIN)));
    _mm_storeu_ps(features->val, value);
    _mm_storeu_si128((__m128i *)(void *)features->idx, index);
    features->least = (uint64_t)features->idx[n - 1] + 1;
    features->idx += n;
    features->val += n;
    return p + ((uint32_t)_mm_cvtsi128_si32(words.end) >> 8 * (n - 1) & 255);
}

AVX512 const char *features_avx512(struct features *features, const char *p, const char *end,
                                   const char *ahead)
{
    for (;;) {
        const char *next = ahead - p >= BLOCK ? take(features, p, end) : NULL;
        if (!next)
            next = feature_plain(features, p, ahead);
        if (!next)
            return p;
        p = text_skip_blanks(next);
    }
}

#else

bool features_avx512_runs(void)
{
    return false;
}

const char *features_avx512(struct features *features, const char *p, const char *end,
                            const char *ahead)
{
    (void)features;
    (void)end;
    (void)ahead;
    return p;
}

#endif
