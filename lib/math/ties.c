#include "math/ties.h"

#include <string.h>

#include "math/order.h"

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

void ties_rank(const struct ties *ties, enum rng_purpose purpose, uint64_t t, size_t m,
               const double *score, uint32_t *order, uint32_t *scratch)
{
    const struct rng rng = rng_at(ties->seed, purpose, t);
    order_by_score(m, score, order, scratch);
    if (!ties->in_line_order)
        ties_break(m, score, &rng, order);
}
