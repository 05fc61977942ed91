#include "explore/by_worth.h"

#include <string.h>

#include "math/real.h"

enum { PLACES = BY_WORTH_PLACES };

/* What a place must gain: more than rounding makes. */
static const double least_gain = 1e-12;

/* A list whose first k documents are judged; D[PLACES] is 0. */
struct list {
    size_t docs, k;
    const double *score, *worth;
    double D[PLACES + 1];
    uint32_t *order;
};

static double discount_at(const struct list *list, size_t place)
{
    return list->D[place < PLACES ? place : PLACES];
}

/* The place from k on of the document that gains most if it takes the place `slot`, the one there
 * goes to place k, and those between move down; 0: none gains. */
static size_t find_best(const struct list *list, size_t slot)
{
    const double *s = list->score, *worth = list->worth;
    uint32_t out = list->order[slot];
    double given = s[out] * (list->D[slot] - list->D[list->k]), most = least_gain;
    double shift = 0; /* what those between lose */
    size_t best = 0;
    for (size_t r = list->k; r < list->docs; r++) {
        uint32_t i = list->order[r];
        double here = discount_at(list, r);
        double gain = s[i] * (list->D[slot] - here) - given - shift + worth[i] - worth[out];
        if (gain > most && worth[i] > 0) {
            most = gain;
            best = r;
        }
        shift += s[i] * (here - discount_at(list, r + 1));
    }
    return best;
}

static void sort_top(const struct list *list)
{
    uint32_t *order = list->order;
    for (size_t a = 1; a < list->k; a++) {
        uint32_t i = order[a];
        size_t to = a;
        for (; to > 0 && list->score[order[to - 1]] < list->score[i]; to--)
            order[to] = order[to - 1];
        order[to] = i;
    }
}

void by_worth_raise(size_t docs, const double *score, const double *worth, size_t k,
                    uint32_t *order)
{
    struct list list = { .docs = docs, .k = k < PLACES ? k : PLACES, .score = score,
                         .worth = worth, .order = order };
    for (size_t a = 0; a < PLACES; a++)
        list.D[a] = 1 / real_log2((double)a + 2);
    if (list.k >= docs)
        return;
    for (size_t slot = list.k; slot-- > 0;) {
        size_t best = find_best(&list, slot);
        if (best == 0)
            break;
        uint32_t up = order[best];
        memmove(order + list.k + 1, order + list.k, (best - list.k) * sizeof *order);
        order[list.k] = order[slot];
        order[slot] = up;
    }
    sort_top(&list);
}
