#include "math/bets.h"

static const double prior = 10; /* V starts with as many gradients of the length L */

double bets_take(struct bets *bets, double capital, double length, double product)
{
    double k = bets->largest > 0 && length > bets->largest ? bets->largest / length : 1;
    double lost = k * product, most = bets->wealth / 2; /* rounding may say more */
    bets->wealth -= lost > most ? most : lost < -most ? -most : lost;
    bets->squares += (k * length) * (k * length);
    if (length > bets->largest) {
        bets->wealth += capital * (length - bets->largest);
        bets->largest = length;
    }
    return k;
}

double bets_factor(const struct bets *bets, double length)
{
    double L = bets->largest;
    if (!(L > 0))
        return 1;
    double by_squares = 2 * (bets->squares + prior * L * L), by_largest = 2 * L * length;
    return bets->wealth / (by_squares > by_largest ? by_squares : by_largest);
}
