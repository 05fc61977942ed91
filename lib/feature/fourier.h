/* fourier: adds random Fourier features (Rahimi and Recht 2007, algorithm 1) before the features.
 * The inner product of those of two documents approximates the kernel exp(-gamma |x - y|^2). */
#ifndef RANKPIPE_FOURIER_H
#define RANKPIPE_FOURIER_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "feature/rows.h"

/* Most frequencies in memory: new features times different features. Those of one query must fit;
 * those of queries before stay as long as there is room. */
#define FOURIER_MOST ((uint64_t)1 << 25)

struct fourier { /* all zero before fourier_start */
    size_t number;       /* D, of new features                                               */
    uint64_t seed;
    double scale;        /* of a frequency: turns for each unit of a feature, per deviation  */
    size_t known;        /* different features whose frequencies are in memory                */
    size_t slots;        /* of a hash table of them: a power of 2, at least twice `known`, or 0 */
    uint64_t factor;     /* of its hashes: random, so that nobody can make features collide */
    struct buffer slot;
    struct buffer omega;  /* double[known][number]: in turns                                  */
    struct buffer shift;  /* double[number]: in turns, from 0 to 1                            */
    struct buffer turns;  /* double[number]: scratch                                          */
};

/* 0, or a fault where there is no memory. number is at least 1, gamma above 0. */
int fourier_start(struct fourier *fourier, size_t number, double gamma, uint64_t seed,
                  struct fault *fault);

/* Writes into `out` the features of `in`, which has *dim of them: at i below D the new ones,
 * sqrt(2/D) cos(omega_i.x + b_i), with omega_ij drawn from N(0, 2 gamma) and b_i uniform in a turn;
 * and at D + j feature j. omega_ij depends only on (seed, i, j), and b_i only on (seed, i). Sums
 * begin with b_i and go by features in their order. *dim grows by D. 0; or a fault where there
 * would be too many features or frequencies. */
int fourier_rows(struct fourier *fourier, const struct rows *in, size_t *dim, struct rows *out,
                 struct fault *fault);

void fourier_close(struct fourier *fourier);

#endif
