/* directions: the loops of math/sketch.h over its slots: V has 32 numbers for each, side by side.
 * The sums go through the slots in their order, and dot products of 32 numbers are added in 16
 * lanes, 8-4-2-1. So the bits are the same whatever vectors the machine has. */
#ifndef RANKPIPE_DIRECTIONS_H
#define RANKPIPE_DIRECTIONS_H

#include <stddef.h>

enum { DIRECTIONS_MOST = 32, DIRECTIONS_KEPT = 16 };

struct directions {
    size_t n;                     /* slots                       */
    double (*v)[DIRECTIONS_MOST]; /* v[n]                        */
    double *d, *part;             /* D, above 0; and its inverse */
};

struct directions_kernels {
    /* t = V D^-1 a for a[n]; returns a'D^-1 a. */
    double (*project)(const struct directions *directions, const double *a,
                      double t[DIRECTIONS_MOST]);

    /* gain[n] = D^-1 (a - V' beta) */
    void (*gain)(const struct directions *directions, const double *a,
                 const double beta[DIRECTIONS_MOST], double *gain);

    /* The first 16 vectors of V become Q'V, with Q = q[32][16], and the others 0; D gains what the
     * diagonal of V'V loses. */
    void (*fold)(struct directions *directions, double q[DIRECTIONS_MOST][DIRECTIONS_KEPT]);

    /* product[i][k] = v_k'D^-1 v_i for k up to i, of the first `vectors` vectors, to the bit what
     * project gives for a = v_i. */
    void (*products)(const struct directions *directions, size_t vectors,
                     double product[DIRECTIONS_MOST][DIRECTIONS_MOST]);
};
extern const struct directions_kernels directions_portable, directions_avx2;

#endif
