/* laws: with what chances a policy shows each order of a short list, found by doing what the policy
 * does. The file that includes it says how many documents there are (DOCS) and orders (ORDERS). */
#ifndef RANKPIPE_TESTS_LAWS_H
#define RANKPIPE_TESTS_LAWS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* How an order is drawn: the chances of all orders of m documents. */
struct law {
    enum { UNIFORM, TOP, SWAP, SLOT, LUCE, KINDS } kind;
    size_t m, T;
    double gamma, logit[DOCS];
    uint32_t greedy[DOCS], order[ORDERS][DOCS];
    double chance[ORDERS];
    size_t orders;
};

/* Adds to the chance of an order. */
static void add_order(struct law *law, const uint32_t *order, double chance)
{
    size_t o = 0;
    while (o < law->orders && memcmp(law->order[o], order, law->m * sizeof *order) != 0)
        o++;
    if (o == law->orders) {
        memcpy(law->order[law->orders++], order, law->m * sizeof *order);
        law->chance[o] = 0;
    }
    law->chance[o] += chance;
}

static bool is_among(const uint32_t *order, size_t n, uint32_t doc)
{
    for (size_t a = 0; a < n; a++)
        if (order[a] == doc)
            return true;
    return false;
}

/* Draws the documents from place `at` on, up to `until`, and the rest in greedy order. */
static void draw_on(struct law *law, uint32_t *order, size_t at, size_t until, double chance)
{
    double left = 0;
    if (at >= until || at >= DOCS) {
        size_t a = at;
        for (size_t g = 0; g < law->m && a < DOCS; g++)
            if (!is_among(order, at, law->greedy[g]))
                order[a++] = law->greedy[g];
        add_order(law, order, chance);
        return;
    }
    for (uint32_t j = 0; j < law->m; j++)
        if (!is_among(order, at, j))
            left += law->kind == LUCE ? exp(law->logit[j]) : 1;
    for (uint32_t j = 0; j < law->m; j++) {
        if (is_among(order, at, j))
            continue;
        uint32_t next[DOCS];
        memcpy(next, order, sizeof next);
        next[at] = j;
        draw_on(law, next, at + 1, until,
                chance * (law->kind == LUCE ? exp(law->logit[j]) : 1) / left);
    }
}

static void make_law(struct law *law)
{
    uint32_t order[DOCS] = { 0 };
    double explored = law->kind == LUCE ? 1 : law->gamma;
    law->orders = 0;
    if (law->kind != LUCE)
        add_order(law, law->greedy, 1 - explored);
    if (law->kind == SWAP && law->T < law->m) {
        for (size_t a = 0; a < law->T; a++)
            for (size_t b = law->T; b < law->m; b++) {
                memcpy(order, law->greedy, sizeof order);
                order[a] = law->greedy[b];
                order[b] = law->greedy[a];
                add_order(law, order, explored / (double)(law->T * (law->m - law->T)));
            }
        return;
    }
    if (law->kind == SLOT && law->T < law->m) {
        for (size_t b = law->T - 1; b < law->m; b++) {
            memcpy(order, law->greedy, sizeof order);
            memmove(order + law->T, order + law->T - 1, (b - law->T + 1) * sizeof *order);
            order[law->T - 1] = law->greedy[b];
            add_order(law, order, explored / (double)(law->m - law->T + 1));
        }
        return;
    }
    if (law->kind == SWAP || law->kind == SLOT)
        add_order(law, law->greedy, explored);
    else
        draw_on(law, order, 0, law->kind == TOP && law->T < law->m ? law->T : law->m, explored);
}

#endif
