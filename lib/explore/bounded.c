#include "explore/bounded.h"

#include <stdbool.h>
#include <string.h>

#include "math/real.h"

/* Most places from base: where few clients answered, and where clicks do not foretell clicks. */
enum { NEAR = 3, NEXT = 1 };

static const double rounding = 1e-9;
static const uint32_t none = UINT32_MAX;

void bounded_start(struct bounded *bounded, double x)
{
    bounded->last[0] = 0;
    for (size_t b = 1; b <= BOUNDED_PLACES; b++) {
        double last = real_exp2(real_log2(1 + (double)b) / (1 - x)) - 1 + rounding;
        bounded->last[b] = last < BOUNDED_PLACES ? (size_t)last : BOUNDED_PLACES;
    }
}

enum { FREE, DUE, PLACED }; /* DUE: it has a deadline, and is not placed yet */

struct list {
    const struct bounded *bounded;
    size_t m;
    const uint32_t *base;
    const unsigned char *held;
    size_t near;     /* NEXT if the held of any document is 3, NEAR if 2, else 0 */
    uint32_t *wish;  /* wish[m]: the order wished                  */
    size_t unread;   /* documents of it, from the first, among which are all that are FREE */
    uint32_t *rank;  /* rank[m]: the place of each document in it  */
    unsigned char *state; /* state[m], of each document            */
};

static bool stays_near(const struct list *list, uint32_t i)
{
    return list->held && list->held[i] > 1;
}

/* Of document i, at place b of base, which is DUE. */
static size_t find_deadline(const struct list *list, uint32_t i, size_t b)
{
    size_t last = b <= BOUNDED_PLACES ? list->bounded->last[b] : list->m;
    return stays_near(list, i) && last > b + list->near ? b + list->near : last;
}

/* The document for place p, by the rule. Those that are DUE and may stand at p are few: their
 * places in base are at most 10, or within `near` of p. */
static uint32_t choose(struct list *list, size_t p)
{
    size_t from = p - list->near, until = p + list->near;
    if (until <= list->m) {
        uint32_t i = list->base[until - 1];
        if (list->state[i] == DUE && stays_near(list, i))
            return i;
    }
    while (list->unread > 0 && list->state[list->wish[list->unread - 1]] != FREE)
        list->unread--;
    if (p <= BOUNDED_PLACES) {
        from = 1;
        until = BOUNDED_PLACES + list->near;
    }
    uint32_t last = list->unread > 0 ? list->wish[list->unread - 1] : none;
    for (size_t b = from; b <= until && b <= list->m; b++) {
        uint32_t i = list->base[b - 1];
        if (list->state[i] == DUE && find_deadline(list, i, b) >= p &&
            (last == none || list->rank[i] > list->rank[last]))
            last = i;
    }
    return last;
}

void bounded_order(const struct bounded *bounded, size_t m, const uint32_t *base,
                   const unsigned char *held, uint32_t *order, void *room)
{
    uint32_t *wish = room;
    struct list list = { .bounded = bounded, .m = m, .base = base, .held = held, .wish = wish,
                         .unread = m, .rank = wish + m, .state = (unsigned char *)(wish + 2 * m) };
    memcpy(wish, order, m * sizeof *wish);
    for (size_t a = 0; a < m; a++)
        list.rank[wish[a]] = (uint32_t)a;

    list.near = 0;
    memset(list.state, FREE, list.m);
    for (size_t b = 1; b <= list.m; b++) {
        uint32_t i = list.base[b - 1];
        bool near = stays_near(&list, i);
        if (near || (b <= BOUNDED_PLACES && (!list.held || list.held[i])))
            list.state[i] = DUE;
        if (near && list.near != NEXT)
            list.near = list.held[i] == 3 ? NEXT : NEAR;
    }

    for (size_t p = m; p > 0; p--) {
        order[p - 1] = choose(&list, p);
        list.state[order[p - 1]] = PLACED;
    }
}
