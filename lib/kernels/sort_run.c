#include "kernels/sort_run.h"

#include "kernels/vectors.h"

#if VECTORS_X86
#include <immintrin.h>
#endif

enum { EIGHT = 8 };

void sort_run_portable(const double *score, uint32_t *order, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint32_t moving = order[i];
        size_t j = i;
        for (; j > 0 && score[order[j - 1]] < score[moving]; j--)
            order[j] = order[j - 1];
        order[j] = moving;
    }
}

#if VECTORS_X86
/* A document's place is the number of documents before it: more comparisons, but no branches. */
VECTORS_AVX2 void sort_run_avx2(const double *score, uint32_t *order, size_t n)
{
    uint32_t first = order[0];
    const double *s = score + first;
    for (size_t i = 0; i < n; i++) {
        uint64_t before = 0;
        for (size_t j = 0; j < i; j++)
            before += s[j] >= s[i];
        for (size_t j = i + 1; j < n; j++)
            before += s[j] > s[i];
        order[before] = first + (uint32_t)i;
    }
}

/* The places of sixteen documents, eight and eight. */
struct places {
    __m512i low, high;
};

/* Counts one more before each document of a mask. */
VECTORS_AVX512 static inline void count(struct places *places, unsigned low, unsigned high)
{
    const __m512i one = _mm512_set1_epi64(1);
    places->low = _mm512_mask_add_epi64(places->low, (__mmask8)low, places->low, one);
    places->high = _mm512_mask_add_epi64(places->high, (__mmask8)high, places->high, one);
}

/* Of sixteen documents, of which the first is number i of n: how many are before each. */
VECTORS_AVX512 static inline struct places count_before(const double *s, size_t i, size_t n,
                                                        unsigned real)
{
    const __m512d a = _mm512_maskz_loadu_pd((__mmask8)real, s + i);
    const __m512d b = _mm512_maskz_loadu_pd((__mmask8)(real >> EIGHT), s + i + EIGHT);
    struct places places = { _mm512_setzero_si512(), _mm512_setzero_si512() };
    size_t j = 0;
    for (; j < i; j++) {
        __m512d other = _mm512_set1_pd(s[j]);
        count(&places, _mm512_cmp_pd_mask(other, a, _CMP_GE_OQ),
              _mm512_cmp_pd_mask(other, b, _CMP_GE_OQ));
    }
    for (; j < n && j < i + 2 * EIGHT; j++) { /* of those that tie, j is before those after it */
        __m512d other = _mm512_set1_pd(s[j]);
        unsigned after = 0xfffeu << (j - i), low = _mm512_cmp_pd_mask(other, a, _CMP_EQ_OQ);
        unsigned high = _mm512_cmp_pd_mask(other, b, _CMP_EQ_OQ);
        count(&places, _mm512_cmp_pd_mask(other, a, _CMP_GT_OQ) | (low & after),
              _mm512_cmp_pd_mask(other, b, _CMP_GT_OQ) | (high & after >> EIGHT));
    }
    for (; j < n; j++) {
        __m512d other = _mm512_set1_pd(s[j]);
        count(&places, _mm512_cmp_pd_mask(other, a, _CMP_GT_OQ),
              _mm512_cmp_pd_mask(other, b, _CMP_GT_OQ));
    }
    return places;
}

/* As sort_run_avx2, for sixteen documents at a time. */
VECTORS_AVX512 void sort_run_avx512(const double *score, uint32_t *order, size_t n)
{
    uint32_t first = order[0];
    for (size_t i = 0; i < n; i += 2 * EIGHT) {
        uint64_t before[2 * EIGHT];
        size_t here = n - i < 2 * EIGHT ? n - i : 2 * EIGHT;
        struct places places = count_before(score + first, i, n, (1u << here) - 1);
        _mm512_storeu_si512(before, places.low);
        _mm512_storeu_si512(before + EIGHT, places.high);
        for (size_t l = 0; l < here; l++)
            order[before[l]] = first + (uint32_t)(i + l);
    }
}
#endif
