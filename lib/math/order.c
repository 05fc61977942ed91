#include "math/order.h"

#include <string.h>

#if VECTORS_HAVE_64
#include <immintrin.h>
#endif

/* Runs of this length are sorted one by one, then merged. */
enum { RUN = 16, WIDE_RUN = 64, WIDEST_RUN = 128, EIGHT = 8 };
enum { STEPS_OF_A_RUN = 8 }; /* for one of its documents */

/* Sorts order[n], which are n documents in a row. */
typedef void run_function(const double *score, uint32_t *order, size_t n);

static void sort_run(const double *score, uint32_t *order, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint32_t moving = order[i];
        size_t j = i;
        for (; j > 0 && score[order[j - 1]] < score[moving]; j--)
            order[j] = order[j - 1];
        order[j] = moving;
    }
}

/* A document's place is the number of documents before it: more comparisons, but no branches. */
VECTORS_WIDE static void sort_run_wide(const double *score, uint32_t *order, size_t n)
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

#if VECTORS_HAVE_64
/* The places of sixteen documents, eight and eight. */
struct places {
    __m512i low, high;
};

/* Counts one more before each document of a mask. */
VECTORS_WIDEST static inline void count(struct places *places, unsigned low, unsigned high)
{
    const __m512i one = _mm512_set1_epi64(1);
    places->low = _mm512_mask_add_epi64(places->low, (__mmask8)low, places->low, one);
    places->high = _mm512_mask_add_epi64(places->high, (__mmask8)high, places->high, one);
}

/* Of sixteen documents, of which the first is number i of n: how many are before each. */
VECTORS_WIDEST static inline struct places count_before(const double *s, size_t i, size_t n,
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

/* As sort_run_wide, for sixteen documents at a time. */
VECTORS_WIDEST static void sort_run_widest(const double *score, uint32_t *order, size_t n)
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
#else
#define sort_run_widest sort_run_wide
#endif

/* How runs are sorted by each kind of machine. */
static const struct order_kind {
    run_function *sort;
    size_t run;
} kinds[VECTORS_KINDS] = {
    [VECTORS_PORTABLE] = { sort_run, RUN },
    [VECTORS_32] = { sort_run_wide, WIDE_RUN },
    [VECTORS_64] = { sort_run_widest, WIDEST_RUN },
};

/* What is asked between two pieces of a sort. */
struct asker {
    order_go_on *go_on;
    void *of;
    size_t steps; /* since it was asked */
};

/* Counts steps, and asks if they are many. */
static inline bool goes_on(struct asker *asker, size_t steps)
{
    asker->steps += steps;
    if (asker->steps < ORDER_PIECE)
        return true;
    steps = asker->steps;
    asker->steps = 0;
    return asker->go_on(asker->of, steps);
}

/* Sorts 0 to m - 1 in runs. */
static bool sort_runs(const struct order_kind *kind, size_t m, const double *score,
                      uint32_t *order, struct asker *asker)
{
    for (size_t i = 0; i < m; i++)
        order[i] = (uint32_t)i;
    for (size_t i = 0; i < m; i += kind->run) {
        kind->sort(score, order + i, m - i < kind->run ? m - i : kind->run);
        if (!goes_on(asker, STEPS_OF_A_RUN * kind->run))
            return false;
    }
    return true;
}

static void merge_runs(const double *score, const uint32_t *a, size_t na, const uint32_t *b,
                       size_t nb, uint32_t *out)
{
    while (na && nb) {
        if (score[*b] > score[*a]) {
            *out++ = *b++;
            nb--;
        } else {
            *out++ = *a++;
            na--;
        }
    }
    memcpy(out, na ? a : b, (na + nb) * sizeof *out);
}

/* How many of the first k of two merged runs are of the first run. */
static size_t of_first(const double *score, const uint32_t *a, size_t na, const uint32_t *b,
                       size_t nb, size_t k)
{
    size_t least = k < nb ? 0 : k - nb, most = k < na ? k : na;
    while (least < most) {
        size_t i = least + (most - least) / 2;
        if (score[b[k - i - 1]] > score[a[i]])
            most = i;
        else
            least = i + 1;
    }
    return least;
}

/* Merges two runs, those of millions in pieces. */
static bool merge(const double *score, const uint32_t *a, size_t na, const uint32_t *b, size_t nb,
                  uint32_t *out, struct asker *asker)
{
    while (na + nb > ORDER_PIECE) {
        size_t i = of_first(score, a, na, b, nb, ORDER_PIECE), j = ORDER_PIECE - i;
        merge_runs(score, a, i, b, j, out);
        if (!goes_on(asker, ORDER_PIECE))
            return false;
        a += i;
        na -= i;
        b += j;
        nb -= j;
        out += ORDER_PIECE;
    }
    merge_runs(score, a, na, b, nb, out);
    return goes_on(asker, na + nb);
}

static bool sort(const struct order_kind *kind, size_t m, const double *score, uint32_t *order,
                 uint32_t *scratch, struct asker *asker)
{
    uint32_t *from = order, *to = scratch;
    if (!sort_runs(kind, m, score, order, asker))
        return false;
    for (size_t width = kind->run; width < m; width *= 2) {
        for (size_t i = 0; i < m; i += 2 * width) {
            size_t na = m - i < width ? m - i : width;
            size_t nb = m - i - na < width ? m - i - na : width;
            if (!merge(score, from + i, na, from + i + na, nb, to + i, asker))
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
    struct asker asker = { go_on, of, 0 };
    return sort(&kinds[vectors_best()], m, score, order, scratch, &asker);
}

static bool always(void *of, size_t steps)
{
    (void)of, (void)steps;
    return true;
}

void order_for(enum vectors kind, size_t m, const double *score, uint32_t *order,
               uint32_t *scratch)
{
    struct asker asker = { always, NULL, 0 };
    (void)sort(&kinds[kind], m, score, order, scratch, &asker);
}

void order_by_score(size_t m, const double *score, uint32_t *order, uint32_t *scratch)
{
    order_for(vectors_best(), m, score, order, scratch);
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

static uint64_t merge_count(const double *a, size_t na, const double *b, size_t nb, double *out)
{
    uint64_t inversions = 0;
    while (na && nb) {
        if (*b > *a) {
            inversions += na;
            *out++ = *b++;
            nb--;
        } else {
            *out++ = *a++;
            na--;
        }
    }
    memcpy(out, na ? a : b, (na + nb) * sizeof *out);
    return inversions;
}

uint64_t order_inversions(size_t m, double *value, double *scratch)
{
    uint64_t inversions = 0;
    double *from = value, *to = scratch;
    for (size_t width = 1; width < m; width *= 2) {
        for (size_t i = 0; i < m; i += 2 * width) {
            size_t na = m - i < width ? m - i : width;
            size_t nb = m - i - na < width ? m - i - na : width;
            inversions += merge_count(from + i, na, from + i + na, nb, to + i);
        }
        double *swap = from;
        from = to;
        to = swap;
    }
    if (from != value)
        memcpy(value, from, m * sizeof *value);
    return inversions;
}
