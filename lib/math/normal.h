/* normal: the normal distribution: draws, probabilities, quantiles, the same bits anywhere. */
#ifndef RANKPIPE_NORMAL_H
#define RANKPIPE_NORMAL_H

#include <stdbool.h>

#include "math/rng.h"

/* The absolute value of a draw is at most this: its square is below -2 log 2^-104. */
#define NORMAL_MOST 12.02

/* Draws are made in pairs: the second one of a pair is stored. Start with { .rng = rng_at(...) }.
 * The caller may draw from `rng` between them. */
struct normals {
    struct rng rng;
    bool waits; /* `second` is the next draw */
    double second;
};

/* A draw from N(0, 1): Marsaglia's polar method. */
double normal_draw(struct normals *normals);

/* P(N(0, 1) <= x), within 1e-15. */
double normal_below(double x);

/* The x with normal_below(x) = p, for p from 0.0001 to 0.9999: within 1e-11. */
double normal_quantile(double p);

#endif
