/* dcg: the gain of a grade and the discount of a place, as the papers write them. */
#ifndef RANKPIPE_DCG_H
#define RANKPIPE_DCG_H

#include <stddef.h>

#include "base/fault.h"

/* G(R) = 2^R - 1. */
double dcg_gain(double R);

/* D = 1 / log2(i + 2) of the place i, from 0. */
double dcg_discount(size_t i);

/* Do the gains of R[n] add up to a double? 0, or a fault. */
int dcg_check(size_t n, const double *R, struct fault *fault);

/* The DCG of the first n places, R[n] by place. */
double dcg_sum(size_t n, const double *R);

#endif
