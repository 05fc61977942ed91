#include "math/kl.h"

#include <math.h>

#include "math/real.h"

double kl_coins(double p, double q)
{
    double heads = p > 0 ? p * real_log(p / q) : 0;
    double tails = p < 1 ? (1 - p) * real_log((1 - p) / (1 - q)) : 0;
    return heads + tails;
}

/* By halving: d rises from 0 at q = p. */
double kl_upper(double p, double most)
{
    double low = p, high = 1;
    if (kl_coins(p, 1) <= most)
        return 1;
    for (int halvings = 0; halvings < 52; halvings++) {
        double q = low + (high - low) / 2;
        if (kl_coins(p, q) <= most)
            low = q;
        else
            high = q;
    }
    return low;
}
