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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"

/* Probabilities of Student's t and of fair coins. Like real.h they use + - * / and sqrt on doubles
 * alone, so they are the same on every machine. A probability above 1e-290 has a relative error of
 * at most 2e-12 with 1 to 10^4 degrees of freedom, and 1e-9 up to 10^7. A smaller one may be 0. */

/* The probability that |T| >= |t|, where T has Student's t distribution with `freedom` degrees of
 * freedom, at least 1: the regularised incomplete beta function I_x(freedom / 2, 1 / 2) at
 * x = freedom / (freedom + t^2). 0 if t is infinite; NaN if t is NaN or `freedom` below 1.
 * O(sqrt(freedom)). */
double tails_student(double t, double freedom);

/* The t with tails_student(t, freedom) = p, for p above 0 and at most 1: 0.05 gives the half width
 * of an interval of 95 %, in standard errors. */
double tails_student_quantile(double p, double freedom);

/* The two-sided sign test: the probability that heads + tails fair coins lie at least as unevenly.
 * 1 without any coin. O(heads + tails). */
double tails_coins(size_t heads, size_t tails);

struct paired {
    size_t above, below, same; /* how many differences are above, below and equal to 0 */
    double mean;               /* D */
    double low, high;          /* the interval of 95 %; NaN with fewer than two queries */
    double p, p_t, p_signs;    /* p_t: NaN with fewer than two queries */
    double skew;               /* the mean of (d - D)^3 by the cube of the standard deviation; 0
                                * if all are equal                                            */
};

/* Is the skewness, for so many values, so large that fewer than 92 of 100 intervals may hold the
 * mean? */
bool paired_skewed(const struct paired *paired);

/* Tests d[n], n at least 1; `most` is N, at least 1. The signs drawn depend on the seed and the
 * number of the draw alone, so several rankers have the same. Sums of signs within a 10^12th of
 * sum |d| count as equal. `scratch` is used again. 0 or a fault (memory). O(n N / 4). */
int paired_test(const double *d, size_t n, uint64_t most, uint64_t seed, struct buffer *scratch,
                struct paired *result, struct fault *fault);

/* adjusted[n]: each of p[n], so that the claim of any of n tests may be judged alone. With p
 * sorted, rising, the j-th from 1 is the largest min(1, (n + 1 - i) p_i) over i <= j. O(n^2). */
void paired_holm(const double *p, size_t n, double *adjusted);

#endif
