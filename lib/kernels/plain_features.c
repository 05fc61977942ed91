#include "kernels/plain_features.h"

#include <stdbool.h>

#include "base/decimal.h"
#include "base/text.h"
#include "kernels/vectors.h"

#if VECTORS_X86
#include <immintrin.h>
#endif

/* Reads the feature at p if it is plain. Returns where it ends, or NULL. */
static const char *feature_plain(struct feature_row *row, const char *p)
{
    uint64_t index = 0;
    const char *colon = decimal_digits(p, &index);
    index -= row->first;
    if (colon == p || *colon != ':' || colon - p > DECIMAL_DIGITS || index < row->least ||
        index >= row->most)
        return NULL;
    p = decimal_float(colon + 1, row->val);
    if (!p)
        return NULL;
    *row->idx++ = (uint32_t)index;
    row->val++;
    row->least = index + 1;
    return p;
}

const char *plain_features_portable(struct feature_row *row, const char *p, const char *end,
                                    const char *ahead)
{
    (void)end, (void)ahead;
    for (const char *next; (next = feature_plain(row, p));)
        p = text_skip_blanks(next);
    return p;
}

/* ---- AVX2: four words at once ---- */

#if VECTORS_X86
#define AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define AVX2_INLINE VECTORS_INLINE AVX2

/* Text is looked at in blocks of 64 bytes, of which each mask has a bit for a byte. What is loaded
 * begins within a block or up to two bytes after it, and has 16 bytes. */
enum { BLOCK = 64, REACH = BLOCK + 2 + 16, GROUP = 4 };

struct block {
    uint64_t colons, points;
    uint64_t ends; /* blanks, and the end of the line */
};

AVX2_INLINE uint64_t find(__m256i low, __m256i high, char c)
{
    __m256i byte = _mm256_set1_epi8(c);
    uint32_t first = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, byte));
    uint32_t second = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, byte));
    return first | (uint64_t)second << 32;
}

AVX2_INLINE struct block look(const char *p, const char *end)
{
    __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
    struct block block = { find(low, high, ':'), find(low, high, '.'),
                           find(low, high, ' ') | find(low, high, '\t') };
    if (end - p < BLOCK) {
        uint64_t at = (uint64_t)1 << (end - p);
        block.colons &= at - 1;
        block.points &= at - 1;
        block.ends = (block.ends & (at - 1)) | at;
    }
    return block;
}

/* A window of 16 bytes from this table, at n, moves the first n bytes of a vector to its end, and
 * makes those before 0. */
static const unsigned char to_end[48] = {
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128
};

/* A window of it, at n, adds 1 to the places of the last n bytes: so the byte before them, the
 * point, is left out. */
static const unsigned char one_more[48] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
};

/* Powers of ten: 16 digits at most follow a point. */
static const double ten[32] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16 };

AVX2_INLINE __m128i load(const void *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

/* Where the parts of the word are that begins at `start` of a block. */
struct word {
    unsigned start, index_digits; /* the index                            */
    unsigned value, digits;       /* the value after its sign             */
    unsigned places, minus;       /* digits after the point; 1: negative  */
    unsigned bad;                 /* not 0: not as plain as wanted        */
    unsigned end;
};

/* Takes the first word off the block, which begins at p. What a malformed word makes of the numbers
 * is bounded where they are used. */
AVX2_INLINE struct word cut(const char *p, struct block *block, unsigned start)
{
    struct word word = { .start = start };
    unsigned colon = (unsigned)_tzcnt_u64(block->colons);
    word.end = (unsigned)_tzcnt_u64(block->ends);
    block->colons = _blsr_u64(block->colons);
    block->ends = _blsr_u64(block->ends);
    word.minus = p[colon + 1] == '-';
    word.value = colon + 1 + word.minus;
    word.index_digits = colon - start;
    unsigned bytes = word.end - word.value;
    unsigned point = (unsigned)_tzcnt_u64(block->points >> (word.value & 63) |
                                          (uint64_t)1 << (bytes & 63));
    word.digits = bytes - (point < bytes);
    word.places = word.digits - point;
    word.bad = (word.index_digits - 1) >> 3 | (bytes - 1) >> 4 | (word.digits - 1) >> 4;
    return word;
}

/* The digits of a word as numbers, at the ends of two lanes: the value, and the index. */
AVX2_INLINE __m256i spread(const char *p, struct word word)
{
    __m128i places = _mm_add_epi8(load(to_end + (word.digits & 31)),
                                  load(one_more + (word.places & 31)));
    __m256i text = _mm256_set_m128i(load(p + word.start), load(p + word.value));
    __m256i order = _mm256_set_m128i(load(to_end + (word.index_digits & 31)), places);
    return _mm256_shuffle_epi8(_mm256_sub_epi8(text, _mm256_set1_epi8('0')), order);
}

/* Numbers of two words, each of its first and its last eight digits: first, last, first, last. */
AVX2_INLINE __m256i join(__m256i a, __m256i b)
{
    __m256i ten_one = _mm256_set1_epi16(0x010a), hundred_one = _mm256_set1_epi32(0x00010064);
    a = _mm256_madd_epi16(_mm256_maddubs_epi16(a, ten_one), hundred_one);
    b = _mm256_madd_epi16(_mm256_maddubs_epi16(b, ten_one), hundred_one);
    return _mm256_madd_epi16(_mm256_packus_epi32(a, b), _mm256_set1_epi32(0x00012710));
}

/* The floats nearest to four numbers of 16 digits over powers of ten, as decimal_round has them;
 * *sure becomes 15 if each is certain. The first eight digits times 10^8 are exact. */
AVX2_INLINE __m128 divide(__m128i first, __m128i last, __m256d by, int *sure)
{
    __m256d x = _mm256_add_pd(_mm256_mul_pd(_mm256_cvtepi32_pd(first), _mm256_set1_pd(1e8)),
                              _mm256_cvtepi32_pd(last));
    x = _mm256_div_pd(x, by);
    __m256i off = _mm256_sub_epi64(_mm256_castpd_si256(x), _mm256_set1_epi64x(0x10000000 - 4));
    off = _mm256_and_si256(off, _mm256_set1_epi64x(0x1fffffff));
    off = _mm256_cmpgt_epi64(off, _mm256_set1_epi64x(8));
    *sure = _mm256_movemask_pd(_mm256_castsi256_pd(off));
    return _mm256_cvtpd_ps(x);
}

/* Bit t of `signs` as the sign of float t. */
AVX2_INLINE __m128 put_signs(__m128 value, unsigned signs)
{
    __m128i bit = _mm_set_epi32(8, 4, 2, 1);
    __m128i minus = _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)signs), bit), bit);
    return _mm_xor_ps(value, _mm_castsi128_ps(_mm_slli_epi32(minus, 31)));
}

/* Do the first n of the indices rise, from least on and below most? */
AVX2_INLINE bool in_order(const struct feature_row *row, __m128i index, unsigned n)
{
    int most = row->most > INT32_MAX ? INT32_MAX : (int)row->most;
    __m128i before = _mm_set1_epi32((int)((int64_t)row->least - 1));
    before = _mm_alignr_epi8(index, before, 12);
    __m128i right = _mm_and_si128(_mm_cmpgt_epi32(index, before),
                                  _mm_cmpgt_epi32(_mm_set1_epi32(most), index));
    unsigned wanted = (1u << n) - 1;
    return ((unsigned)_mm_movemask_ps(_mm_castsi128_ps(right)) & wanted) == wanted;
}

/* Reads the first n words of a block at p. Returns where the last of them ends, or NULL where they
 * are not all plain; then none is read. */
AVX2_INLINE const char *take(struct feature_row *row, const char *p, struct block block,
                             const unsigned n)
{
    struct word word[GROUP] = { { 0 } };
    __m256i digits[GROUP] = { _mm256_setzero_si256() };
    unsigned start = 0, bad = 0, signs = 0;
    int sure;
    for (unsigned t = 0; t < n; t++) {
        word[t] = cut(p, &block, start);
        digits[t] = spread(p, word[t]);
        bad |= word[t].bad;
        signs |= word[t].minus << t;
        start = word[t].end + 1;
    }
    __m256i largest = _mm256_max_epu8(_mm256_max_epu8(digits[0], digits[1]),
                                      _mm256_max_epu8(digits[2], digits[3]));
    __m256i over = _mm256_subs_epu8(largest, _mm256_set1_epi8(9));
    if (bad || !_mm256_testz_si256(over, over))
        return NULL;
    __m256 low = _mm256_castsi256_ps(join(digits[0], digits[1]));
    __m256 high = _mm256_castsi256_ps(join(digits[2], digits[3]));
    __m256i first = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0x88));
    __m256i last = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0xdd));
    __m256d by = _mm256_set_pd(ten[word[3].places & 31], ten[word[2].places & 31],
                               ten[word[1].places & 31], ten[word[0].places & 31]);
    __m128 value = divide(_mm256_castsi256_si128(first), _mm256_castsi256_si128(last), by, &sure);
    __m128i index = _mm_sub_epi32(_mm256_extracti128_si256(last, 1),
                                  _mm_set1_epi32((int)row->first));
    if (sure != 15 || !in_order(row, index, n))
        return NULL;
    _mm_storeu_ps(row->val, put_signs(value, signs));
    _mm_storeu_si128((__m128i *)(void *)row->idx, index);
    row->least = (uint64_t)row->idx[n - 1] + 1;
    row->idx += n;
    row->val += n;
    return p + start - 1;
}

AVX2_INLINE const char *take_some(struct feature_row *row, const char *p, const char *end)
{
    struct block block = look(p, end);
    unsigned words = (unsigned)__builtin_popcountll(block.colons);
    unsigned ends = (unsigned)__builtin_popcountll(block.ends);
    words = ends < words ? ends : words;
    if (words >= GROUP)
        return take(row, p, block, GROUP);
    return words == 3   ? take(row, p, block, 3)
           : words == 2 ? take(row, p, block, 2)
           : words == 1 ? take(row, p, block, 1)
                        : NULL;
}

AVX2 static const char *plain_features_avx2(struct feature_row *row, const char *p, const char *end,
                                            const char *ahead)
{
    for (;;) {
        const char *next = ahead - p >= REACH ? take_some(row, p, end) : NULL;
        if (!next)
            next = feature_plain(row, p);
        if (!next)
            return p;
        p = text_skip_blanks(next);
    }
}
#endif

const char *plain_features(struct feature_row *row, const char *p, const char *end,
                           const char *ahead)
{
#if VECTORS_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"))
        return plain_features_avx2(row, p, end, ahead);
#endif
    return plain_features_portable(row, p, end, ahead);
}
