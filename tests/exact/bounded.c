/*
 * bounded: orders within a bound of base. Of short lists all orders are enumerated: those that keep
 * the bound by its definition, D(p) >= (1 - x) D(b), are what the rule must be best among, in the
 * sum of the first k wishes, for every k. Long lists are compared with the rule as it is worded,
 * place by place. Deadlines, and where a team draft puts the documents of two such lists, are
 * computed in long doubles.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/bounded.h"
#include "explore/interleave.h"
#include "math/rng.h"

enum { SHORT = 7, LONG = 300, TEN = 10 };

static const double BOUNDS[] = { 0, 0.1, 0.2, 0.36, 0.37, 0.5, 0.7, 0.9, 0.999999 };
enum { COUNT = sizeof BOUNDS / sizeof *BOUNDS };

static unsigned long cases, wrong;

static void tell(bool right, const char *what, double a, double b)
{
    cases++;
    if (!right && wrong++ < 20)
        fprintf(stderr, "bounded: %s (%g, %g)\n", what, a, b);
}

/* D(p), for p from 1. */
static long double discount(size_t p)
{
    return p <= TEN ? 1 / log2l((long double)p + 1) : 0;
}

/* May a held document at place b of base be at place p? */
static bool within(double x, size_t b, size_t p)
{
    return b > TEN || discount(p) >= (1 - (long double)x) * discount(b) - 1e-9L;
}

/* ---- a list ---- */

struct list {
    size_t m;
    double x, wish[LONG];
    uint32_t base[LONG], place[LONG]; /* place in base of each document, from 1 */
    unsigned char held[LONG];
    bool all_held;
    uint32_t wished[LONG], order[LONG];
};

static void shuffle(struct rng *rng, size_t m, uint32_t *order)
{
    for (uint32_t i = 0; i < m; i++) {
        uint32_t to = rng_below(rng, i + 1);
        order[i] = order[to];
        order[to] = i;
    }
}

/* Wishes with ties, which fall along `wished`. Of `values` values of held: 2 to 4. */
static void draw(struct rng *rng, size_t m, uint32_t values, struct list *list)
{
    static uint32_t room[3 * LONG];
    struct bounded bounded;
    *list = (struct list){ .m = m, .x = BOUNDS[rng_below(rng, COUNT)] };
    list->all_held = values == 2 && rng_below(rng, 4) == 0;
    shuffle(rng, m, list->base);
    shuffle(rng, m, list->wished);
    if (rng_below(rng, 3) == 0) /* nearly the base order, as in a service */
        for (size_t a = 0, b = rng_below(rng, (uint32_t)m); a < m; a++)
            list->wished[a] = list->base[(a + b) % m];
    uint32_t released = rng_below(rng, 5);
    for (size_t a = 0; a < m; a++) {
        list->place[list->base[a]] = (uint32_t)a + 1;
        list->held[a] = rng_below(rng, 4) >= released || list->all_held
                            ? (unsigned char)(1 + rng_below(rng, values - 1)) : 0;
        list->wish[list->wished[a]] = (a ? list->wish[list->wished[a - 1]] : 9) -
                                      rng_below(rng, 3) / 2.0;
    }
    memcpy(list->order, list->wished, sizeof list->wished);
    bounded_start(&bounded, list->x);
    bounded_order(&bounded, m, list->base, list->all_held ? NULL : list->held, list->order, room);
}

/* How near a held document stays: one place if any has a 3, three places if it has a 2. */
static size_t nearness(const struct list *list, size_t i)
{
    if (list->all_held || list->held[i] < 2)
        return list->m;
    return memchr(list->held, 3, list->m) ? 1 : 3;
}

static bool keeps(const struct list *list, const uint32_t *order)
{
    for (size_t a = 0; a < list->m; a++) {
        size_t i = order[a], b = list->place[i], p = a + 1;
        if (list->held[i] && !within(list->x, b, p))
            return false;
        if (p > b + nearness(list, i) || b > p + nearness(list, i))
            return false;
    }
    return true;
}

static bool permutes(const struct list *list)
{
    bool there[LONG] = { false };
    for (size_t a = 0; a < list->m; a++) {
        if (list->order[a] >= list->m || there[list->order[a]])
            return false;
        there[list->order[a]] = true;
    }
    return true;
}

/* Theorem 1, for gains that are drawn, and for each document alone. */
static void check_gains(struct rng *rng, const struct list *list)
{
    long double mine = 0, base = 0;
    for (size_t a = 0; a < list->m; a++) {
        size_t i = list->order[a];
        double gain = list->held[i] ? (1 << rng_below(rng, 5)) - 1 : 0;
        mine += gain * discount(a + 1);
        base += gain * discount(list->place[i]);
    }
    tell(mine >= (1 - (long double)list->x) * base - 1e-8L * base, "loses more than its bound",
         list->x, (double)(mine / base));
    for (size_t a = TEN; a < list->m; a++) {
        size_t i = list->order[a];
        tell(!list->held[i] || list->place[i] > TEN, "a held document left the first ten",
             (double)list->place[i], (double)a + 1);
    }
}

/* ---- all orders of short lists ---- */

/* The next permutation in lexical order; false after the last. */
static bool permute(size_t m, uint32_t *order)
{
    size_t a = m - 1, b = m - 1;
    while (a > 0 && order[a - 1] > order[a])
        a--;
    if (a == 0)
        return false;
    while (order[b] < order[a - 1])
        b--;
    uint32_t swap = order[a - 1];
    order[a - 1] = order[b];
    order[b] = swap;
    for (b = m - 1; a < b; a++, b--) {
        swap = order[a];
        order[a] = order[b];
        order[b] = swap;
    }
    return true;
}

/* The largest sums of the first k wishes, k from 1, among the orders that keep the bound. */
static void find_best(const struct list *list, double *best)
{
    uint32_t order[SHORT];
    for (uint32_t i = 0; i < list->m; i++) {
        order[i] = i;
        best[i] = -INFINITY;
    }
    do {
        double sum = 0;
        if (!keeps(list, order))
            continue;
        for (size_t k = 0; k < list->m; k++) {
            sum += list->wish[order[k]];
            best[k] = fmax(best[k], sum);
        }
    } while (permute(list->m, order));
}

static void check_short(struct rng *rng, struct list *list)
{
    double best[SHORT], sum = 0;
    draw(rng, 1 + rng_below(rng, SHORT), 2, list);
    find_best(list, best);
    tell(permutes(list) && keeps(list, list->order), "not within the bound", list->x,
         (double)list->m);
    for (size_t k = 0; k < list->m; k++) {
        sum += list->wish[list->order[k]];
        tell(sum >= best[k] && sum <= best[k], "another list is better in the first k", sum,
             best[k]);
    }
    check_gains(rng, list);
}

/* ---- the rule, as it is worded ---- */

static bool may_stand(const struct list *list, size_t i, size_t p)
{
    size_t b = list->place[i];
    size_t near = nearness(list, i);
    for (size_t q = p; q <= list->m; q++) /* its deadline is p or later */
        if (!list->held[i] || (within(list->x, b, q) && q <= b + near))
            return true;
    return false;
}

static void check_rule(struct rng *rng, struct list *list, uint32_t values)
{
    bool placed[LONG] = { false };
    draw(rng, 1 + rng_below(rng, rng_below(rng, 2) ? 20 : LONG), values, list);
    tell(permutes(list) && keeps(list, list->order), "not within the bound, long", list->x,
         (double)list->m);
    for (size_t p = list->m; p > 0; p--) {
        size_t want = list->m;
        for (size_t a = 0; a < list->m; a++) /* the one wished last */
            if (!placed[list->wished[a]] && may_stand(list, list->wished[a], p))
                want = list->wished[a];
        for (size_t i = 0; i < list->m; i++)
            if (!placed[i] && list->place[i] == p + nearness(list, i))
                want = i;
        tell(list->order[p - 1] == want, "not what the rule says", (double)p, (double)want);
        placed[list->order[p - 1]] = true;
    }
    check_gains(rng, list);
}

/* ---- deadlines ---- */

static void check_deadlines(void)
{
    static const size_t third[] = { 0, 2, 4, 8, 10, 10, 10, 10, 10, 10, 10 }; /* of .37 */
    struct bounded bounded;
    for (size_t c = 0; c < COUNT; c++) {
        bounded_start(&bounded, BOUNDS[c]);
        for (size_t b = 1; b <= TEN; b++) {
            tell(within(BOUNDS[c], b, bounded.last[b]), "a deadline is too late", BOUNDS[c],
                 (double)b);
            tell(bounded.last[b] == TEN || !within(BOUNDS[c], b, bounded.last[b] + 1),
                 "a deadline is too early", BOUNDS[c], (double)b);
        }
    }
    bounded_start(&bounded, 0.37);
    for (size_t b = 1; b <= TEN; b++)
        tell(bounded.last[b] == third[b], "a deadline of .37", (double)b, (double)bounded.last[b]);
    bounded_start(&bounded, 0.369); /* 1 - 1 / log2(3) is .36907 */
    tell(bounded.last[1] == 1, "below .36907 place 1 stays", (double)bounded.last[1], 1);
    bounded_start(&bounded, 0.5); /* 3^2 - 1, whole but for rounding */
    tell(bounded.last[2] == 8, "a whole power", (double)bounded.last[2], 8);
}

/* ---- team drafts of two lists within the bound ---- */

/* The lowest places over many coins; by base and one such list, then by two. */
static void check_drafts(struct rng *rng)
{
    enum { DOCS = 24, DRAFTS = 40000 };
    static uint32_t room[3 * LONG];
    uint32_t base[DOCS], mine[DOCS], rivals[DOCS], order[DOCS];
    unsigned char team[DOCS], taken[DOCS];
    size_t against_base[DOCS] = { 0 }, against_list[DOCS] = { 0 };
    struct bounded bounded;
    bounded_start(&bounded, 0.37);
    for (uint32_t i = 0; i < DOCS; i++)
        base[i] = i;
    for (size_t n = 0; n < DRAFTS; n++) {
        shuffle(rng, DOCS, mine);
        shuffle(rng, DOCS, rivals);
        if (n % 4 == 0) /* agree where one is lowered */
            memcpy(rivals, mine, sizeof mine);
        bounded_order(&bounded, DOCS, base, NULL, mine, room);
        bounded_order(&bounded, DOCS, base, NULL, rivals, room);
        size_t *lowest = n % 2 ? against_base : against_list;
        interleave_draft(DOCS, mine, n % 2 ? base : rivals, rng, order, team, taken);
        for (size_t a = 0; a < DOCS; a++)
            lowest[order[a]] = a + 1 > lowest[order[a]] ? a + 1 : lowest[order[a]];
    }
    for (size_t b = 1; b <= TEN; b++) {
        size_t p = against_base[b - 1], most = 2 * bounded.last[b] - 1;
        tell(p <= 2 * b, "a draft against base puts a document lower than 2 b", (double)b,
             (double)p);
        tell(within(0.37, b, 2 * b) == (b <= 5), "the first five stay within .37", (double)b, 0);
        p = against_list[b - 1];
        tell(p <= most, "a draft puts a document lower than 2 deadline - 1", (double)b, (double)p);
    }
    tell(against_base[0] == 2 && against_base[1] == 4, "a draft against base is worse than that",
         (double)against_base[0], (double)against_base[1]);
    tell(against_list[0] == 3, "place 1 may be shown at 3", (double)against_list[0], 3);
}

int main(void)
{
    static struct list list;
    struct rng rng = { 44 };
    check_deadlines();
    for (size_t n = 0; n < 500; n++)
        check_short(&rng, &list);
    for (uint32_t n = 0; n < 1500; n++)
        check_rule(&rng, &list, 2 + n % 3);
    check_drafts(&rng);
    if (cases < 100000)
        fprintf(stderr, "bounded: only %lu cases\n", cases);
    return wrong != 0 || cases < 100000;
}
