#include "math/order.h"

#include <string.h>

#include "kernels/vectors.h"

#if VECTORS_X86
#include <immintrin.h>
#endif

/* ---- runs: order[n], which are n documents in a row, sorted in O(n^2) ---- */

static void insert_run(const double *score, uint32_t *order, size_t n)
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
enum { EIGHT = 8 };
#define AVX2 __attribute__((target("avx2")))

/* A document's place is the number of documents before it: more comparisons, but no branches. */
AVX2 static void place_run(const double *score, uint32_t *order, size_t n)
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

/* As place_run, for sixteen documents at a time. */
VECTORS_AVX512 static void place_run_wide(const double *score, uint32_t *order, size_t n)
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

typedef void sort_run(const double *score, uint32_t *order, size_t n);

/* The fastest way for this processor. Longer runs than *length are merged from several faster. */
static sort_run *choose_sort(size_t *length)
{
#if VECTORS_X86
    if (vectors_avx512()) {
        *length = 128;
        return place_run_wide;
    }
    if (__builtin_cpu_supports("avx2")) {
        *length = 64;
        return place_run;
    }
#endif
    *length = 16;
    return insert_run;
}

/* ---- a sort ---- */

enum { STEPS_OF_A_RUN = 8 }; /* for one of its documents */

/* A sort, and what is asked between two pieces of it. */
struct sort {
    const double *score;
    sort_run *sort_run;
    size_t run; /* documents that it sorts before the first merge */
    order_go_on *go_on;
    void *of;
    size_t steps;        /* since it was asked                                            */
    uint64_t inversions; /* pairs that merges turned round: all pairs where `run` is 1 */
};

/* Counts steps, and asks if they are many. */
static inline bool goes_on(struct sort *sort, size_t steps)
{
    sort->steps += steps;
    if (sort->steps < ORDER_PIECE)
        return true;
    steps = sort->steps;
    sort->steps = 0;
    return sort->go_on(sort->of, steps);
}

/* Sorts 0 to m - 1 in runs. */
static bool sort_runs(struct sort *sort, size_t m, uint32_t *order)
{
    for (size_t i = 0; i < m; i++)
        order[i] = (uint32_t)i;
    for (size_t i = 0; sort->run > 1 && i < m; i += sort->run) {
        sort->sort_run(sort->score, order + i, m - i < sort->run ? m - i : sort->run);
        if (!goes_on(sort, STEPS_OF_A_RUN * sort->run))
            return false;
    }
    return true;
}

static bool merge(struct sort *sort, const uint32_t *a, size_t na, const uint32_t *b, size_t nb,
                  uint32_t *out)
{
    const double *score = sort->score;
    size_t both = na + nb;
    uint64_t inversions = 0;
    while (na && nb) {
        if (score[*b] > score[*a]) {
            inversions += na;
            *out++ = *b++;
            nb--;
        } else {
            *out++ = *a++;
            na--;
        }
    }
    memcpy(out, na ? a : b, (na + nb) * sizeof *out);
    sort->inversions += inversions;
    return goes_on(sort, both);
}

static bool run_sort(struct sort *sort, size_t m, uint32_t *order, uint32_t *scratch)
{
    uint32_t *from = order, *to = scratch;
    if (!sort_runs(sort, m, order))
        return false;
    for (size_t width = sort->run; width < m; width *= 2) {
        for (size_t i = 0; i < m; i += 2 * width) {
            size_t na = m - i < width ? m - i : width;
            size_t nb = m - i - na < width ? m - i - na : width;
            if (!merge(sort, from + i, na, from + i + na, nb, to + i))
                return false;
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order)
        memcpy(order, from, m * sizeof *order);
    return true;
}

bool order_in_pieces(size_t m, const double *score, uint32_t *order, uint32_t *scratch,
                     order_go_on *go_on, void *of)
{
    struct sort sort = { .score = score, .go_on = go_on, .of = of };
    sort.sort_run = choose_sort(&sort.run);
    return run_sort(&sort, m, order, scratch);
}

static bool always(void *of, size_t steps)
{
    (void)of, (void)steps;
    return true;
}

void order_by_score(size_t m, const double *score, uint32_t *order, uint32_t *scratch)
{
    (void)order_in_pieces(m, score, order, scratch, always, NULL);
}

uint64_t order_inversions(size_t m, const double *value, uint32_t *order, uint32_t *scratch)
{
    struct sort sort = { .score = value, .run = 1, .go_on = always };
    (void)run_sort(&sort, m, order, scratch);
    return sort.inversions;
}

bool order_is_permutation(size_t m, const uint32_t *order, uint32_t *scratch)
{
    memset(scratch, 0, m * sizeof *scratch);
    for (size_t i = 0; i < m; i++) {
        if (order[i] >= m || scratch[order[i]])
            return false;
        scratch[order[i]] = 1;
    }
    return true;
}

/* ---- ties ---- */

/* The draw of document a is larger than that of b; equal draws go by document. */
static bool after(const struct rng *rng, uint32_t a, uint32_t b)
{
    uint64_t of_a = rng_bits_at(rng, a), of_b = rng_bits_at(rng, b);
    return of_a > of_b || (of_a == of_b && a > b);
}

/* doc[n] is a heap by draw except at i: moves doc[i] down to its place. */
static void sink(const struct rng *rng, uint32_t *doc, size_t n, size_t i)
{
    uint32_t moving = doc[i];
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && after(rng, doc[child + 1], doc[child]);
        if (!after(rng, doc[child], moving))
            break;
        doc[i] = doc[child];
    }
    doc[i] = moving;
}

/* A heap sort: in place, and as fast for a million equal scores as for ten. */
static void sort_by_draw(const struct rng *rng, uint32_t *doc, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sink(rng, doc, n, i);
    while (n-- > 1) {
        uint32_t last = doc[0];
        doc[0] = doc[n];
        doc[n] = last;
        sink(rng, doc, n, 0);
    }
}

enum { FEW = 1024, LOST = 11 /* bits of a draw that a double does not hold */ };

/* The same for 1 to FEW documents: each draws once, and what a double holds of it is its score. */
static void sort_few(const struct rng *rng, uint32_t *doc, size_t n)
{
    uint64_t draw[FEW];
    double early[FEW];
    uint32_t place[FEW], scratch[FEW], from[FEW];
    size_t i = 0;
    do {
        from[i] = doc[i];
        draw[i] = rng_bits_at(rng, doc[i]);
        early[i] = -(double)(draw[i] >> LOST);
    } while (++i < n);
    order_by_score(n, early, place, scratch);
    for (i = 0; i < n; i++) {
        size_t at = i; /* after those with the same score, of which there are hardly any */
        for (; at > 0 && draw[place[i]] < draw[place[at - 1]]; at--)
            continue;
        uint32_t moving = place[i];
        memmove(place + at + 1, place + at, (i - at) * sizeof *place);
        place[at] = moving;
    }
    for (i = 0; i < n; i++)
        doc[i] = from[place[i]];
}

void ties_break(size_t m, const double *score, const struct rng *rng, uint32_t *order)
{
    for (size_t a = 0, b; a < m; a = b) {
        for (b = a + 1; b < m && score[order[b]] == score[order[a]];)
            b++;
        if (b - a > 1)
            (b - a > FEW || b - a == 2 ? sort_by_draw : sort_few)(rng, order + a, b - a);
    }
}

/* Puts the documents of each tie of order[m] into the order base[m]. O(m). */
static void break_by_base(size_t m, const double *score, const uint32_t *base, uint32_t *order,
                          uint32_t *scratch)
{
    uint32_t *first = scratch; /* of each document, the first place of its tie; order there says
                                * how many documents of the tie are still to be placed */
    for (size_t a = 0, b; a < m; a = b) {
        for (b = a; b < m && score[order[b]] == score[order[a]]; b++)
            first[order[b]] = (uint32_t)a;
        order[a] = (uint32_t)(b - a);
    }
    for (size_t p = m; p-- > 0;) {
        uint32_t a = first[base[p]], left = --order[a];
        order[a + left] = base[p];
    }
}

void ties_rank(const struct ties *ties, enum rng_purpose purpose, uint64_t t, size_t m,
               const double *score, const uint32_t *base, uint32_t *order, uint32_t *scratch)
{
    const struct rng rng = rng_at(ties->seed, purpose, t);
    order_by_score(m, score, order, scratch);
    if (base)
        break_by_base(m, score, base, order, scratch);
    else if (!ties->in_line_order)
        ties_break(m, score, &rng, order);
}
