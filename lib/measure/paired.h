/* paired: do two rankers differ, by their values of a measure for the same queries? Tests of the
 * mean difference (Smucker, Allan & Carterette 2007), and their correction for several rankers
 * (Holm 1979).
 *
 * d_1 ... d_n are the differences of n queries, and D is their mean.
 *   randomisation  If the rankers are alike, each d_i might as well have had the other sign (Fisher
 *                  1935). p is the share of all 2^n choices of signs with |mean| >= |D|. If there
 *                  are more than N choices, N are drawn, and p = (count + 1) / (N + 1).
 *   t test         t = D / sqrt(var(d) / n) with n - 1 degrees of freedom; the interval is
 *                  D +- sqrt(var(d) / n) times the t with p = 0.05.
 *   sign test      of those d_i that are not 0, how many are above 0: fair coins.
 * All are two-sided. */
#ifndef RANKPIPE_PAIRED_H
#define RANKPIPE_PAIRED_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"

struct paired {
    size_t above, below, same; /* how many differences are above, below and equal to 0 */
    double mean;               /* D */
    double low, high;          /* the interval of 95 %; NaN with fewer than two queries */
    double p, p_t, p_signs;    /* p_t: NaN with fewer than two queries */
};

/* Tests d[n], n at least 1; `most` is N, at least 1. The signs drawn depend on the seed and the
 * number of the draw alone, so several rankers have the same. Sums of signs within a 10^12th of
 * sum |d| count as equal. `scratch` is used again. 0 or a fault (memory). O(n N / 4). */
int paired_test(const double *d, size_t n, uint64_t most, uint64_t seed, struct buffer *scratch,
                struct paired *result, struct fault *fault);

/* adjusted[n]: each of p[n], so that the claim of any of n tests may be judged alone. With p
 * sorted, rising, the j-th from 1 is the largest min(1, (n + 1 - i) p_i) over i <= j. O(n^2). */
void paired_holm(const double *p, size_t n, double *adjusted);

#endif
