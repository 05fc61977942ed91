#include "loss/hinges.h"

#include <string.h>

#include "math/order.h"

/* Documents in the order of their scores, highest first: document d is at place at[d], and its
 * hinge with a better one is above 0 where that is at place reach[d] or below. */
struct hinges {
    size_t m;
    uint32_t *at, *reach;
    uint32_t *graded;   /* graded[m]: places of `doc` by relevance, highest first */
    uint32_t *tree;     /* tree[m + 1]: sums over places, a Fenwick tree          */
};

static void enter(const struct hinges *my, uint32_t place)
{
    for (size_t node = (size_t)place + 1; node <= my->m; node += node & -node)
        my->tree[node]++;
}

/* How many were entered at places below `place`. */
static uint32_t entered(const struct hinges *my, size_t place)
{
    uint32_t n = 0;
    for (size_t node = place; node > 0; node -= node & -node)
        n += my->tree[node];
    return n;
}

static void place(const struct hinges *my, const double *s, uint32_t *by_score, uint32_t *scratch)
{
    size_t better = 0;
    order_by_score(my->m, s, by_score, scratch);
    for (size_t p = 0; p < my->m; p++) {
        uint32_t d = by_score[p];
        while (better < my->m && s[by_score[better]] >= 1 + s[d])
            better++;
        my->at[d] = (uint32_t)p;
        my->reach[d] = (uint32_t)better;
    }
}

/* How often each document is the worse one: grade after grade, from the highest. */
static void count_worse(const struct hinges *my, const uint32_t *doc, const double *relevance,
                        double *g)
{
    memset(my->tree, 0, (my->m + 1) * sizeof *my->tree);
    for (size_t from = 0, to = 0; from < my->m; from = to) {
        for (; to < my->m && relevance[my->graded[to]] == relevance[my->graded[from]]; to++) {
            uint32_t d = doc[my->graded[to]];
            g[d] = (double)from - (double)entered(my, my->reach[d]);
        }
        for (size_t a = from; a < to; a++)
            enter(my, my->at[doc[my->graded[a]]]);
    }
}

/* The same of the better ones, from the lowest grade. A reach of m reaches nobody. */
static void count_better(const struct hinges *my, const uint32_t *doc, const double *relevance,
                         double *g)
{
    memset(my->tree, 0, (my->m + 1) * sizeof *my->tree);
    for (size_t from, to = my->m; to > 0; to = from) {
        for (from = to; from > 0 && relevance[my->graded[from - 1]] ==
                                        relevance[my->graded[to - 1]]; from--) {
            uint32_t d = doc[my->graded[from - 1]];
            g[d] -= (double)entered(my, (size_t)my->at[d] + 1);
        }
        for (size_t a = from; a < to; a++)
            if (my->reach[doc[my->graded[a]]] < my->m)
                enter(my, my->reach[doc[my->graded[a]]]);
    }
}

void hinges_count(size_t m, const double *s, const uint32_t *doc, const double *relevance,
                  double *g, double *scratch)
{
    uint32_t *at = (uint32_t *)scratch;
    struct hinges my = { m, at, at + m, at + 2 * m, at + 3 * m };
    order_by_score(m, relevance, my.graded, my.tree);
    place(&my, s, at + 5 * m, at + 6 * m);
    count_worse(&my, doc, relevance, g);
    count_better(&my, doc, relevance, g);
}
