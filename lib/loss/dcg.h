/* dcg: discounted cumulative gain: the gain of a grade and the discount of a place. */
#ifndef RANKPIPE_DCG_H
#define RANKPIPE_DCG_H

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

/* G(R) = 2^R - 1. Most grades are whole numbers: the same bits, faster. */
double dcg_gain_of_any(double R);

static inline double dcg_gain(double R)
{
    if (R >= 0 && R <= 52 && R == (double)(unsigned)R)
        return (double)(((uint64_t)1 << (unsigned)R) - 1);
    return dcg_gain_of_any(R);
}

/* D(i) = 1 / log2(i + 2), of place i from 0. */
double dcg_discount(size_t i);

/* LETOR's: 1, 1, 1 / log2(3), 1 / log2(4) ... of places 0, 1, 2, 3 ... */
double dcg_letor_discount(size_t i);

/* 0 if the sum of the gains of R[n] is finite, else a fault. */
int dcg_check(size_t n, const double *R, struct fault *fault);

/* The DCG of the first n places, where R[n] is by place. */
double dcg_sum(size_t n, const double *R);

#endif
