/* tails: probabilities of Student's t and of fair coins, for tests, the same everywhere. */
#ifndef RANKPIPE_TAILS_H
#define RANKPIPE_TAILS_H

#include <stddef.h>

/* As real.h they use + - * / and sqrt on doubles alone. The relative error of a probability above
 * 1e-290 is at most 2e-12 with 1 to 10^4 degrees of freedom, and 1e-9 up to 10^7; a smaller one may
 * be 0. */

/* The probability that |T| >= |t|, where T has Student's t distribution with `freedom` degrees of
 * freedom, at least 1: the regularised incomplete beta function I_x(freedom / 2, 1 / 2) at
 * x = freedom / (freedom + t^2). 0 if t is infinite; NaN if t is NaN or `freedom` below 1.
 * O(sqrt(freedom)). */
double tails_student(double t, double freedom);

/* The t with tails_student(t, freedom) = p, for p above 0 and at most 1: 0.05 gives the half width
 * of an interval of 95 %, in standard errors. */
double tails_student_quantile(double p, double freedom);

/* The probability that of heads + tails fair coins so many, or more, land on one side, whichever
 * that is: the two-sided sign test. 1 without any coin. O(heads + tails). */
double tails_coins(size_t heads, size_t tails);

#endif
