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

static const unsigned char place_of[BLOCK] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
    26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49,
    50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63
};

static const double ten[16] = { 1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };

/* Words of a block of 64 bytes. Byte t of each vector is a place of word t: where it begins, its
 * colon, its end. */
struct words {
    unsigned count; /* how many are taken: at most four */
    __m128i start, colon, end;
};

/* Finds the places of the first `count` words, from the bits of colons, and of blanks or the end of
 * the line. */
AVX512_INLINE struct words find_words(uint64_t colons, uint64_t ends, unsigned count)
{
    __m512i places = _mm512_loadu_si512(place_of);
    struct words words = { .count = count };
    words.colon = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(colons, places));
    words.end = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(ends, places));
    words.start = _mm_add_epi8(_mm_bslli_si128(words.end, 1), _mm_set_epi32(0, 0, 0, 0x01010100));
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

/* The values of words: their digits, each value's at the end of a lane of 16 bytes with zeros before
 * them, without signs and points. */
struct values {
    __m512i digits;
    uint64_t points; /* bit j of 16: a point stood before digit j + 1 */
    uint64_t signs;  /* bit t: value t has the sign -                 */
};

/* False where a value is anything but an optional sign and digits, perhaps with a point that is not
 * at the end, 16 bytes in all. Masks have 16 bits for each value. */
AVX512_INLINE bool find_values(__m512i text, const struct words *words, struct values *values)
{
    const uint64_t last_bits = 0x8000800080008000, other_bits = 0x7fff7fff7fff7fff;
    __m512i back = _mm512_broadcast_i32x4(_mm_set_epi8(-1, -2, -3, -4, -5, -6, -7, -8, -9, -10,
                                                       -11, -12, -13, -14, -15, -16));
    __m512i place = _mm512_add_epi8(copy_16(words->end), back), colon = copy_16(words->colon);
    uint64_t inside = _mm512_cmpgt_epi8_mask(place, colon);
    uint64_t after = _mm512_cmpeq_epi8_mask(place, colon) << 1;
    __m512i x = _mm512_permutexvar_epi8(place, text);
    inside = _bzhi_u64(inside, 16 * words->count);
    uint64_t point = _mm512_mask_cmpeq_epi8_mask(inside, x, _mm512_set1_epi8('.'));
    uint64_t minus = _mm512_mask_cmpeq_epi8_mask(inside, x, _mm512_set1_epi8('-'));
    x = _mm512_maskz_sub_epi8(inside & ~minus, x, _mm512_set1_epi8('0'));
    /* In each lane with a point, the bits up to it. It moves them on by one byte, over the point. */
    uint64_t with = ((point + other_bits) & last_bits) >> 15, before = point | (point - with);
    x = _mm512_mask_blend_epi8(before, x, _mm512_bslli_epi128(x, 1));
    *values = (struct values){ x, point, _pext_u64(minus + other_bits, last_bits) };
    uint64_t digits = inside & ~(point | minus), wanted = _bzhi_u64(last_bits, 16 * words->count);
    uint64_t too_long = _mm_cmplt_epi8_mask(words->colon,
                                            _mm_sub_epi8(words->end, _mm_set1_epi8(17)));
    return ((~digits & wanted) | (minus & ~after) | (point & (point - with)) |
            _mm512_cmpgt_epu8_mask(x, _mm512_set1_epi8(9)) | _bzhi_u64(too_long, words->count)) == 0;
}

/* The indices; false where they are not of 1 to 8 digits. */
AVX512_INLINE bool find_indices(__m512i text, const struct words *words, __m128i *index)
{
    __m512i back = _mm512_set1_epi64((long long)0xfffefdfcfbfaf9f8);
    __m512i place = _mm512_add_epi8(copy_8(words->colon), back);
    uint64_t inside = _bzhi_u64(_mm512_cmpge_epi8_mask(place, copy_8(words->start)),
                                8 * words->count);
    __m256i x = _mm512_castsi512_si256(_mm512_permutexvar_epi8(place, text));
    x = _mm256_maskz_sub_epi8((__mmask32)inside, x, _mm256_set1_epi8('0'));
    uint64_t wanted = _bzhi_u64(0x80808080, 8 * words->count);
    uint64_t too_long = _mm_cmplt_epi8_mask(words->start,
                                            _mm_sub_epi8(words->colon, _mm_set1_epi8(8)));
    uint64_t bad = _mm256_cmpgt_epu8_mask(x, _mm256_set1_epi8(9));
    x = _mm256_madd_epi16(_mm256_maddubs_epi16(x, _mm256_set1_epi16(0x010a)),
                          _mm256_set1_epi32(0x00010064));
    x = _mm256_add_epi64(_mm256_mul_epu32(x, _mm256_set1_epi64x(10000)), _mm256_srli_epi64(x, 32));
    *index = _mm256_cvtepi64_epi32(x);
    return ((~inside & wanted) | bad | _bzhi_u64(too_long, words->count)) == 0;
}

/* The floats nearest to the values, as decimal_round has them; false where one is not certain. */
AVX512_INLINE bool round_values(const struct values *values, __m128 *value)
{
    __m512i x = _mm512_madd_epi16(_mm512_maddubs_epi16(values->digits, _mm512_set1_epi16(0x010a)),
                                  _mm512_set1_epi32(0x00010064));
    x = _mm512_madd_epi16(_mm512_packus_epi32(x, x), _mm512_set1_epi32(0x00012710));
    __m256i eights = _mm512_castsi512_si256(
        _mm512_permutexvar_epi64(_mm512_set_epi64(0, 0, 0, 0, 6, 4, 2, 0), x));
    __m256i whole = _mm256_add_epi64(_mm256_mul_epu32(eights, _mm256_set1_epi64x(100000000)),
                                     _mm256_srli_epi64(eights, 32));
    /* How many digits follow bit j of 16: 15 - j. Without a point 64, which is 0 modulo 16. */
    __m256i behind = _mm256_lzcnt_epi64(
        _mm256_cvtepu16_epi64(_mm_cvtsi64_si128((int64_t)values->points)));
    __m512d by = _mm512_permutex2var_pd(_mm512_loadu_pd(ten), _mm512_castsi256_si512(behind),
                                        _mm512_loadu_pd(ten + 8));
    __m256d ratio = _mm256_div_pd(_mm256_cvtepi64_pd(whole), _mm512_castpd512_pd256(by));
    __m256i off = _mm256_sub_epi64(_mm256_castpd_si256(ratio),
                                   _mm256_set1_epi64x(0x10000000 - 4));
    off = _mm256_and_si256(off, _mm256_set1_epi64x(0x1fffffff));
    __m128i nearest = _mm_castps_si128(_mm256_cvtpd_ps(ratio));
    *value = _mm_castsi128_ps(_mm_mask_xor_epi32(nearest, (__mmask8)values->signs, nearest,
                                                 _mm_set1_epi32(INT32_MIN)));
    return _mm256_cmpgt_epi64_mask(off, _mm256_set1_epi64x(8)) == 15;
}

/* Do the first n of the indices rise, from least on and below most? */
AVX512_INLINE bool in_order(const struct features *features, __m128i index, unsigned n)
{
    int most = features->most > INT32_MAX ? INT32_MAX : (int)features->most;
    __m128i before = _mm_set1_epi32((int)((int64_t)features->least - 1));
    before = _mm_alignr_epi8(index, before, 12);
    uint64_t right = _mm_mask_cmplt_epi32_mask(_mm_cmpgt_epi32_mask(index, before), index,
                                               _mm_set1_epi32(most));
    return _bzhi_u64(~right, n) == 0;
}

/* Reads the words of a block; false where they are not all plain: then none is read. */
AVX512_INLINE bool take_words(struct features *features, __m512i text, const struct words *words)
{
    struct values values;
    __m128i index;
    __m128 value;
    unsigned n = words->count;
    if (!find_values(text, words, &values) || !find_indices(text, words, &index) ||
        !round_values(&values, &value))
        return false;
    index = _mm_sub_epi32(index, _mm_set1_epi32((int)features->first));
    if (!in_order(features, index, n))
        return false;
    _mm_storeu_ps(features->val, value);
    _mm_storeu_si128((__m128i *)(void *)features->idx, index);
    __m128 last = _mm_permutevar_ps(_mm_castsi128_ps(index), _mm_cvtsi32_si128((int)n - 1));
    features->least = (uint64_t)(uint32_t)_mm_cvtsi128_si32(_mm_castps_si128(last)) + 1;
    features->idx += n;
    features->val += n;
    return true;
}

/* Reads the words of a block at p, at most four. Returns where the last of them ends, or NULL where
 * they are not all plain; then none is read. Four words, as there mostly are, are read by code of
 * their own, in which the compiler knows their number. */
AVX512_INLINE const char *take(struct features *features, const char *p, const char *end)
{
    __m512i text = _mm512_loadu_si512(p);
    uint64_t colons = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(':'));
    uint64_t ends = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(' ')) |
                    _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('\t'));
    if (end - p < BLOCK) {
        uint64_t at = (uint64_t)1 << (end - p);
        colons &= at - 1;
        ends = (ends & (at - 1)) | at;
    }
    unsigned count = (unsigned)_mm_popcnt_u64(colons), ended = (unsigned)_mm_popcnt_u64(ends);
    count = ended < count ? ended : count;
    if (count >= GROUP) {
        struct words words = find_words(colons, ends, GROUP);
        p += _tzcnt_u64(_pdep_u64(1 << (GROUP - 1), ends));
        return take_words(features, text, &words) ? p : NULL;
    }
    if (count == 0)
        return NULL;
    struct words words = find_words(colons, ends, count);
    p += _tzcnt_u64(_pdep_u64((uint64_t)1 << (count - 1), ends));
    return take_words(features, text, &words) ? p : NULL;
}

AVX512 const char *features_avx512(struct features *features, const char *p, const char *end,
                                   const char *ahead)
{
    struct features now = *features;
    for (;;) {
        const char *next = ahead - p >= BLOCK ? take(&now, p, end) : NULL;
        if (!next)
            next = feature_plain(&now, p, ahead);
        if (!next)
            break;
        p = text_skip_blanks(next);
    }
    *features = now;
    return p;
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
