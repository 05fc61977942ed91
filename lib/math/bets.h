/* bets: how far to go along a sum of gradients, by betting on coins: no step size is given (Orabona
 * & Pal 2016; Cutkosky & Orabona 2018). Made of + - * / sqrt alone. */
#ifndef RANKPIPE_BETS_H
#define RANKPIPE_BETS_H

#include <stddef.h>

/*
 * A bettor of the capital c on gradients g_1, g_2, ... in one or more dimensions:
 *
 *   L = max |g|    V = sum k^2 |g|^2    theta = - sum k g    k = min(1, L of before / |g|)
 *   W = c L - sum k g.w
 *   w = W theta / max(2 (V + 10 L^2), 2 L |theta|)
 *
 * L and V count the gradient at hand, but k looks at the L before it (and is 1 for the first). So a
 * gradient longer than all before is cut to their length. A gradient that is not longer, times w,
 * is at most half of the wealth W: so W stays above 0.
 *
 * With L1 the first length, for every u:
 *
 *   sum k g.(w - u) <= c L + |u| max(2 sqrt(S K), 4 L K),   S = V + 10 L^2,
 *   K = 2 ln(1 + 2 |u| sqrt(S) (1 + V / (10 L1^2)) / (c L1))
 *
 * because ln(1 - x) >= -x - x^2 for x <= 1/2, and w / W minimises, over |b| <= 1 / (2 L), the sum
 * of k g.b + |k g|^2 |b|^2 so far plus 10 L^2 |b|^2. What was cut off adds at most (L - L1) |w - u|
 * for the largest |w - u| of the rounds with a cut. Gradients of another scale give the same w.
 */
struct bets {
    double largest; /* L */
    double squares; /* V */
    double wealth;  /* W */
};
enum { BETS_NUMBERS = 3 };

/* Takes a gradient of this length, above 0, whose product with the weights is `product`. Returns k:
 * theta is to fall by k times the gradient. */
double bets_take(struct bets *bets, double capital, double length, double product);

/* w / theta for a theta of this length; 1 before the first gradient. */
double bets_factor(const struct bets *bets, double length);

#endif
