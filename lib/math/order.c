#include "math/order.h"

#include <string.h>

#include "math/vectors.h"

/* Runs of this length are sorted one by one, then merged. */
enum { RUN = 16, WIDE_RUN = 64 };

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

/* The place of each is the number of those before it: more comparisons, but no branch depends on
 * them. */
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

/* Sorts runs of 0 to m-1; returns how long they are. */
static size_t sort_runs(size_t m, const double *score, uint32_t *order)
{
    bool wide = vectors_wide();
    size_t run = wide ? WIDE_RUN : RUN;
    for (size_t i = 0; i < m; i++)
        order[i] = (uint32_t)i;
    for (size_t i = 0; i < m; i += run)
        (wide ? sort_run_wide : sort_run)(score, order + i, m - i < run ? m - i : run);
    return run;
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

void order_by_score(size_t m, const double *score, uint32_t *order, uint32_t *scratch)
{
    uint32_t *from = order, *to = scratch;
    for (size_t width = sort_runs(m, score, order); width < m; width *= 2) {
        for (size_t i = 0; i < m; i += 2 * width) {
            size_t na = m - i < width ? m - i : width;
            size_t nb = m - i - na < width ? m - i - na : width;
            merge_runs(score, from + i, na, from + i + na, nb, to + i);
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order)
        memcpy(order, from, m * sizeof *order);
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
