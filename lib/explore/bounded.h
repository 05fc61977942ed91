/* bounded: an order that stays within a bound of the engine's order, the column base.
 *
 * D(p) = 1 / log2(1 + p) for places p from 1 to 10, then 0: the discount of DCG@10. Places count
 * from 1. A document is at place b of base and at place p of the list that is shown. A held
 * document with b <= 10 has a deadline, the last place where D(p) >= (1 - x) D(b):
 *
 *     deadline(b) = min(10, m, floor((1 + b)^(1 / (1 - x)) - 1))
 *
 * A document that was released, or with b > 10, may stand anywhere: its deadline is m.
 *
 * Theorem 1. A list that meets all deadlines has, over the held documents,
 *     sum G_i D(p_i) >= (1 - x) sum G_i D(b_i)    for all gains G_i >= 0.
 * Proof: it holds for each term, as p_i <= deadline(b_i); for b > 10 the right side is 0. Where no
 * document is released, this is DCG@10 of the list and of base, whatever the labels. No larger
 * set of lists has the guarantee: let one document alone have a gain.
 *
 * The rule. Fill the places from the last up. At place p, of the documents that are not placed yet
 * and whose deadline is p or later, take the one wished last. There always is one: the m - p + 1
 * documents of base from place p on have deadlines of p or later, and only m - p are placed.
 *
 * Theorem 2. No list that meets all deadlines is better by the wish: for wishes s that fall along
 * the order wished, the rule maximises sum s_i D'(p_i) for every falling D' at once; so it does for
 * the sum of the first k wishes, for every k.
 * Proof: let the rule put j last, and another list i, with j at place p. Let i and j change places.
 * i moves up, and j may be last, so all deadlines are met; and (s_i - s_j) (D'(p) - D'(m)) >= 0 is
 * gained. What remains is the same with one document less.
 *
 * Of a query that few clients have answered (held is 2), a document also stays within three places
 * of base: its deadline is at most b + 3, and at place p the document with b = p + 3 is taken, if
 * it is such a one and not placed yet. Where clicks do not foretell clicks (held is 3), it is one
 * place in place of three, in this round also for documents with a 2. Theorem 1 holds as before, as
 * deadlines are only earlier; Theorem 2 does not. */
#ifndef RANKPIPE_BOUNDED_H
#define RANKPIPE_BOUNDED_H

#include <stddef.h>
#include <stdint.h>

enum { BOUNDED_PLACES = 10 };

struct bounded {
    size_t last[BOUNDED_PLACES + 1]; /* deadline(b) of a list of 10 documents or more */
};

/* Sets the bound: a list may lose the share x of DCG@10, 0 <= x < 1. A power that rounding puts up
 * to 1e-9 below a whole number counts as that number. */
void bounded_start(struct bounded *bounded, double x);

/* Bytes of room for each document. */
enum { BOUNDED_ROOM = 2 * sizeof(uint32_t) + 1 };

/* order[m], as wished, first to last, becomes the order that the rule makes of it. base[m] is a
 * permutation. held[i] is 0 if document i was released, 2 if it also stays within three places,
 * 3 within one, else 1; held is NULL where all are 1. `room` has BOUNDED_ROOM bytes for each
 * document, aligned for uint32_t. O(m). */
void bounded_order(const struct bounded *bounded, size_t m, const uint32_t *base,
                   const unsigned char *held, uint32_t *order, void *room);

#endif
