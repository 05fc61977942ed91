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

/* Keeps compilers from making one condition of several, for which the next words would wait. */
#define likely(x) __builtin_expect(x, 1)

/* Constants that stay in registers. */
struct constants {
    __m512i counted;                                /* the bytes 0 to 63                      */
    __m512i colon, space, tab, point, minus, zero;  /* characters, in all bytes               */
    __m512i nine;
    __m512i value_lanes, index_lanes;               /* which place the bytes of a lane get    */
    __m512i back_16, back_8;                        /* -16 to -1 and -8 to -1, in all lanes   */
    __m512i by_ten, by_hundred, by_ten_thousand;    /* 10 1, 100 1, 10000 1: join neighbours  */
    __m512i even, powers, more_powers;              /* 0 2 4 6; 1e0 to 1e7; 1e8 to 1e15       */
    __m512i near_half, low_bits, eight, sign;       /* as in decimal_round; the sign of a float */
    __m512i first, most;                            /* of struct feature_row                     */
};

static const unsigned char counted[64] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
    26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49,
    50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63
};
static const double ten[16] = { 1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };

/* The same value, but unknown to the compiler, which would else make it anew where it is used. */
AVX512_INLINE __m512i keep(__m512i x)
{
    __asm__("" : "+v"(x));
    return x;
}

AVX512_INLINE __m512i keep_byte(char c)
{
    return keep(_mm512_set1_epi8(c));
}

#define ONE 0x0101010101010101                /* in all bytes of eight */
#define BACK_8 ((int64_t)0xfffefdfcfbfaf9f8)   /* -8 to -1, by bytes            */
#define BACK_16 ((int64_t)0xf7f6f5f4f3f2f1f0)  /* -16 to -9                     */

AVX512_INLINE struct constants make_constants(const struct feature_row *row)
{
    int most = row->most > INT32_MAX ? INT32_MAX : (int)row->most;
    return (struct constants){
        .counted = keep(_mm512_loadu_si512(counted)),
        .colon = keep_byte(':'), .space = keep_byte(' '), .tab = keep_byte('\t'),
        .point = keep_byte('.'), .minus = keep_byte('-'), .zero = keep_byte('0'),
        .nine = keep_byte(9),
        .value_lanes = keep(_mm512_set_epi64(7 * ONE, 7 * ONE, 5 * ONE, 5 * ONE, 3 * ONE,
                                              3 * ONE, ONE, ONE)),
        .index_lanes = keep(_mm512_set_epi64(0, 0, 0, 0, 6 * ONE, 4 * ONE, 2 * ONE, 0)),
        .back_16 = keep(_mm512_broadcast_i32x4(_mm_set_epi64x(BACK_8, BACK_16))),
        .back_8 = keep(_mm512_set1_epi64(BACK_8)),
        .by_ten = keep(_mm512_set1_epi16(0x010a)),
        .by_hundred = keep(_mm512_set1_epi32(0x00010064)),
        .by_ten_thousand = keep(_mm512_set1_epi32(0x00012710)),
        .even = keep(_mm512_set_epi64(0, 0, 0, 0, 6, 4, 2, 0)),
        .powers = keep(_mm512_loadu_si512(ten)),
        .more_powers = keep(_mm512_loadu_si512(ten + 8)),
        .near_half = keep(_mm512_set1_epi64(0x10000000 - 4)),
        .low_bits = keep(_mm512_set1_epi64(0x1fffffff)), .eight = keep(_mm512_set1_epi64(8)),
        .sign = keep(_mm512_set1_epi32(INT32_MIN)),
        .first = keep(_mm512_set1_epi32((int)row->first)),
        .most = keep(_mm512_set1_epi32(most)),
    };
}

/* The first lanes of a constant. */
AVX512_INLINE __m256i half(__m512i x)
{
    return _mm512_castsi512_si256(x);
}

/* Words of a block of 64 bytes. Byte 2 t of `places` is the place of the colon of word t, and byte
 * 2 t + 1 that of its end. The same bytes of `before` are the places before the digits there: that
 * of the end of the last word, and that of the colon. */
struct words {
    unsigned count; /* at most four */
    __m128i places, before;
};

/* The first `count` words. `marks` has the bits of their colons and ends. */
AVX512_INLINE struct words find_words(const struct constants *k, uint64_t marks, unsigned count)
{
    __m128i places = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(marks, k->counted));
    return (struct words){ count, places, _mm_alignr_epi8(places, _mm_set1_epi8(-1), 15) };
}

/* Is an index of more than 8 bytes, or a value of more than 16? */
AVX512_INLINE bool too_long(const struct words *words)
{
    __m128i most = _mm_set1_epi16(0x1109); /* 8 and 16, and the byte that bounds them */
    __mmask16 long_ones = _mm_cmplt_epi8_mask(words->before, _mm_sub_epi8(words->places, most));
    return _bzhi_u64(long_ones, 2 * words->count) != 0;
}

/* Copies of byte t of `places` in lane t. */
AVX512_INLINE __m512i copy(__m512i lanes, __m128i places)
{
    return _mm512_permutexvar_epi8(lanes, _mm512_castsi128_si512(places));
}

/* The values of words: their digits, without signs and points. The digits of each value are at the
 * end of a lane of 16 bytes, with zeros before them. */
struct values {
    __m512i digits;
    uint64_t points; /* bit j of 16: a point stood before digit j + 1 */
    uint64_t signs;  /* bit t: value t has the sign -                 */
};

/* False where a value is anything but an optional sign and digits, perhaps with a point that is not
 * at the end, 16 bytes in all. Masks have 16 bits for each value. */
AVX512_INLINE bool find_values(const struct constants *k, __m512i text,
                               const struct words *words, struct values *values)
{
    const uint64_t last_bits = 0x8000800080008000, other_bits = 0x7fff7fff7fff7fff;
    __m512i place = _mm512_add_epi8(copy(k->value_lanes, words->places), k->back_16);
    __m512i colon = copy(k->value_lanes, words->before);
    uint64_t inside = _mm512_cmpgt_epi8_mask(place, colon);
    uint64_t after = _mm512_cmpeq_epi8_mask(place, colon) << 1;
    __m512i x = _mm512_permutexvar_epi8(place, text);
    inside = _bzhi_u64(inside, 16 * words->count);
    uint64_t point = _mm512_mask_cmpeq_epi8_mask(inside, x, k->point);
    uint64_t minus = _mm512_mask_cmpeq_epi8_mask(inside, x, k->minus);
    x = _mm512_maskz_sub_epi8(inside & ~minus, x, k->zero);
    /* In each lane with a point, the bytes up to it move on by one, over the point. */
    uint64_t with = ((point + other_bits) & last_bits) >> 15, before = point | (point - with);
    x = _mm512_mask_blend_epi8(before, x, _mm512_bslli_epi128(x, 1));
    *values = (struct values){ x, point, _pext_u64(minus + other_bits, last_bits) };
    uint64_t digits = inside & ~(point | minus), wanted = _bzhi_u64(last_bits, 16 * words->count);
    return ((~digits & wanted) | (minus & ~after) | (point & (point - with)) |
            _mm512_cmpgt_epu8_mask(x, k->nine)) == 0;
}

/* The indices; false where they are not of 1 to 8 digits. */
AVX512_INLINE bool find_indices(const struct constants *k, __m512i text,
                                const struct words *words, __m128i *index)
{
    __m512i place = _mm512_add_epi8(copy(k->index_lanes, words->places), k->back_8);
    __mmask64 after = _mm512_cmpgt_epi8_mask(place, copy(k->index_lanes, words->before));
    uint64_t inside = _bzhi_u64(after, 8 * words->count);
    __m256i x = _mm512_castsi512_si256(_mm512_permutexvar_epi8(place, text));
    x = _mm256_maskz_sub_epi8((__mmask32)inside, x, half(k->zero));
    uint64_t wanted = _bzhi_u64(0x80808080, 8 * words->count);
    uint64_t bad = _mm256_cmpgt_epu8_mask(x, half(k->nine));
    x = _mm256_madd_epi16(_mm256_maddubs_epi16(x, half(k->by_ten)), half(k->by_hundred));
    x = _mm256_add_epi64(_mm256_mul_epu32(x, _mm256_set1_epi64x(10000)), _mm256_srli_epi64(x, 32));
    *index = _mm256_cvtepi64_epi32(x);
    return ((~inside & wanted) | bad) == 0;
}

/* The floats nearest to the values, as decimal_round has them; false where one is not certain. */
AVX512_INLINE bool round_values(const struct constants *k, const struct values *values,
                                __m128 *value)
{
    __m512i x = _mm512_madd_epi16(_mm512_maddubs_epi16(values->digits, k->by_ten), k->by_hundred);
    x = _mm512_madd_epi16(_mm512_packus_epi32(x, x), k->by_ten_thousand);
    __m256i eights = half(_mm512_permutexvar_epi64(k->even, x));
    __m256i whole = _mm256_add_epi64(_mm256_mul_epu32(eights, _mm256_set1_epi64x(100000000)),
                                     _mm256_srli_epi64(eights, 32));
    /* How many digits follow bit j of 16: 15 - j. Without a point 64, which is 0 modulo 16. */
    __m256i after = _mm256_lzcnt_epi64(
        _mm256_cvtepu16_epi64(_mm_cvtsi64_si128((int64_t)values->points)));
    __m256i by = half(_mm512_permutex2var_epi64(k->powers, _mm512_castsi256_si512(after),
                                                k->more_powers));
    __m256d ratio = _mm256_div_pd(_mm256_cvtepi64_pd(whole), _mm256_castsi256_pd(by));
    __m256i off = _mm256_sub_epi64(_mm256_castpd_si256(ratio), half(k->near_half));
    off = _mm256_and_si256(off, half(k->low_bits));
    __m128i nearest = _mm_castps_si128(_mm256_cvtpd_ps(ratio));
    *value = _mm_castsi128_ps(_mm_mask_xor_epi32(nearest, (__mmask8)values->signs, nearest,
                                                 _mm512_castsi512_si128(k->sign)));
    return _mm256_cmpgt_epi64_mask(off, half(k->eight)) == 15;
}

/* Do the first n of the indices rise, from least on and below most? */
AVX512_INLINE bool in_order(const struct constants *k, const struct feature_row *row,
                            __m128i index, unsigned n)
{
    __m128i before = _mm_set1_epi32((int)((int64_t)row->least - 1));
    before = _mm_alignr_epi8(index, before, 12);
    uint64_t right = _mm_mask_cmplt_epi32_mask(_mm_cmpgt_epi32_mask(index, before), index,
                                               _mm512_castsi512_si128(k->most));
    return _bzhi_u64(~right, n) == 0;
}

/* Reads the words of a block; false where they are not all plain: then none is read. */
AVX512_INLINE bool take_words(const struct constants *k, struct feature_row *row, __m512i text,
                              const struct words *words)
{
    struct values values;
    __m128i index;
    __m128 value;
    unsigned n = words->count;
    if (!likely(!too_long(words) && find_values(k, text, words, &values) &&
                find_indices(k, text, words, &index) && round_values(k, &values, &value)))
        return false;
    index = _mm_sub_epi32(index, _mm512_castsi512_si128(k->first));
    if (!likely(in_order(k, row, index, n)))
        return false;
    _mm_storeu_ps(row->val, value);
    _mm_storeu_si128((__m128i *)(void *)row->idx, index);
    __m128 last = _mm_permutevar_ps(_mm_castsi128_ps(index), _mm_cvtsi32_si128((int)n - 1));
    row->least = (uint64_t)(uint32_t)_mm_cvtsi128_si32(_mm_castps_si128(last)) + 1;
    row->idx += n;
    row->val += n;
    return true;
}

/* The place of the n-th bit, from 1. */
AVX512_INLINE uint64_t nth(uint64_t bits, unsigned n)
{
    return _tzcnt_u64(_pdep_u64((uint64_t)1 << (n - 1), bits));
}

/* Reads the words of a block at p, at most four. Returns where the last of them ends, or NULL where
 * they are not all plain; then none is read. Four words, as there mostly are, are read by code of
 * their own, in which the compiler knows their number. */
AVX512_INLINE const char *take(const struct constants *k, struct feature_row *row, const char *p,
                               const char *end)
{
    __m512i text = _mm512_loadu_si512(p);
    uint64_t colons = _mm512_cmpeq_epi8_mask(text, k->colon);
    uint64_t ends = _mm512_cmpeq_epi8_mask(text, k->space) |
                    _mm512_cmpeq_epi8_mask(text, k->tab);
    if (end - p < BLOCK) {
        uint64_t at = (uint64_t)1 << (end - p);
        colons &= at - 1;
        ends = (ends & (at - 1)) | at;
    }
    /* Colons and ends take turns in well-formed words: bits 1 0 1 0 ... from the lowest on. */
    uint64_t marks = colons | ends, turns = _pext_u64(colons, marks);
    struct words words;
    if (likely((turns & 0xff) == 0x55 && _mm_popcnt_u64(marks) >= 2 * GROUP)) {
        words = find_words(k, marks, GROUP);
        return take_words(k, row, text, &words) ? p + nth(ends, GROUP) : NULL;
    }
    unsigned most = (unsigned)_mm_popcnt_u64(marks), same = (unsigned)_tzcnt_u64(turns ^ 0x155);
    words = find_words(k, marks, (most < same ? most : same) / 2);
    return words.count && take_words(k, row, text, &words) ? p + nth(ends, words.count) : NULL;
}

AVX512 const char *features_avx512(struct feature_row *row, const char *p, const char *end,
                                   const char *ahead)
{
    struct feature_row now = *row;
    struct constants k = make_constants(row);
    for (;;) {
        const char *next = ahead - p >= BLOCK ? take(&k, &now, p, end) : NULL;
        if (!next)
            next = feature_plain(&now, p, ahead);
        if (!next)
            break;
        p = text_skip_blanks(next);
    }
    *row = now;
    return p;
}

#else

bool features_avx512_runs(void)
{
    return false;
}

const char *features_avx512(struct feature_row *row, const char *p, const char *end,
                            const char *ahead)
{
    (void)row;
    (void)end;
    (void)ahead;
    return p;
}

#endif
