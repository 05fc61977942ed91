#include "math/order.h"

#include <string.h>

#include "kernels/kernels.h"

enum { STEPS_OF_A_RUN = 8 }; /* for one of its documents */

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
static bool sort_runs(size_t m, const double *score, uint32_t *order, struct asker *asker)
{
    for (size_t i = 0; i < m; i++)
        order[i] = (uint32_t)i;
    for (size_t i = 0; i < m; i += kernels->run) {
        kernels->sort_run(score, order + i, m - i < kernels->run ? m - i : kernels->run);
        if (!goes_on(asker, STEPS_OF_A_RUN * kernels->run))
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

static bool sort(size_t m, const double *score, uint32_t *order, uint32_t *scratch,
                 struct asker *asker)
{
    uint32_t *from = order, *to = scratch;
    if (!sort_runs(m, score, order, asker))
        return false;
    for (size_t width = kernels->run; width < m; width *= 2) {
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
    return sort(m, score, order, scratch, &asker);
}

static bool always(void *of, size_t steps)
{
    (void)of, (void)steps;
    return true;
}

void order_by_score(size_t m, const double *score, uint32_t *order, uint32_t *scratch)
{
    struct asker asker = { always, NULL, 0 };
    (void)sort(m, score, order, scratch, &asker);
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
