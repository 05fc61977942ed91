/* smooth: the places of SmoothDCG@k below the first one (Chapelle & Wu 2010). */
#ifndef RANKPIPE_SMOOTH_H
#define RANKPIPE_SMOOTH_H

#include <stddef.h>

#include "io/watch.h"

/* The sum over the places j = 2 .. cutoff of
 *   D(j) sum_i G_i h_ij,  h_ij = exp(-((s_i - s_d)/epsilon)^2) / the same summed over i,
 * where d is the document at place j by score, ties in document order; 0 if the cutoff is
 * SIZE_MAX. Subtracts its gradient with respect to s from g[m], unless g is NULL. It is linear in
 * gain[m], so an unbiased estimate of the gains gives an unbiased one of the gradient. `scratch`
 * has room for 2 m. O(m (cutoff + log m)). Counts its steps as `work`, which may be NULL; if it was
 * stopped, the results are good for nothing. */
double smooth_below(size_t m, const double *s, const double *gain, double epsilon, size_t cutoff,
                    double *g, double *scratch, struct long_work *work);

#endif
