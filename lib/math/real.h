/* real: exponentials and softmax, logarithms, log gamma and its derivative, a cube root and a
 * cosine, the same everywhere. */
#ifndef RANKPIPE_REAL_H
#define RANKPIPE_REAL_H

/*
 * The functions of the C library differ between machines in the last bit, and where two scores are
 * nearly equal, that bit decides which of them ranks first.  These functions use only + - * / on
 * doubles.  So they give the same bits wherever those four follow IEEE 754 and round to nearest,
 * which is assumed and not checked.  Compile real.c with -ffp-contract=off: a fused multiplication
 * and addition rounds once where the code needs two roundings.
 *
 * Accuracy: every result is within one unit in the last place of the true value, over the whole
 * range of double, subnormal arguments and subnormal results included.  The largest error among
 * a thousand million random arguments is 0.54 for real_exp, real_exp2 and real_log, and 0.57 for
 * real_log2.  Results are not correctly rounded, nor proved to be monotonic in the last place.
 *
 * Special cases are those of C99, Annex F.  A NaN that is returned is always the same: positive,
 * quiet, without payload.  errno is never set; which floating-point exceptions are raised is not
 * part of the contract.
 */

#include <float.h>
#include <stddef.h>

#ifdef __FAST_MATH__
#error "real.h: compile without -ffast-math; it lets the compiler change what these return"
#endif

#if FLT_EVAL_METHOD != 0
#error "real.h: floats and doubles must be computed as such: use -msse2 -mfpmath=sse on 32-bit x86,"
#error "real.h: and -fexcess-precision=fast on s390x"
#endif

/*
 * e to the power x.
 *   x = +-0                           1
 *   x = +inf                          +inf
 *   x = -inf                          +0
 *   x > 0x1.62e42fefa39efp+9          +inf    (about 709.78)
 *   x < -0x1.74910d52d3051p+9         +0      (about -745.13)
 *   x < -0x1.6232bdd7abcd2p+9         a subnormal, or +0 as above    (about -708.40)
 *   x is NaN                          NaN
 */
double real_exp(double x);

/*
 * 2 to the power x.  Exact when x is a whole number from -1074 to 1023.
 *   x = +-0                           1
 *   x = +inf                          +inf
 *   x = -inf                          +0
 *   x >= 1024                         +inf
 *   x <= -1075                        +0
 *   x < -1022                         a subnormal, or +0 as above
 *   x is NaN                          NaN
 */
double real_exp2(double x);

/*
 * The natural logarithm of x.
 *   x = +-0                           -inf
 *   x = 1                             +0
 *   x = +inf                          +inf
 *   x < 0, -inf included              NaN
 *   x is NaN                          NaN
 */
double real_log(double x);

/*
 * The logarithm of x to base 2.  Exact when x is a power of two, subnormal ones included.
 *   x = +-0                           -inf
 *   x = 1                             +0
 *   x = +inf                          +inf
 *   x < 0, -inf included              NaN
 *   x is NaN                          NaN
 */
double real_log2(double x);

/*
 * The natural logarithm of the gamma function, for x above 0.  The error is at most 1e-14, or 3
 * units in the last place where that is more; near its zeros at 1 and 2 the result is small, and
 * fewer of its digits are right.
 *   x is subnormal, 0 or +inf         +inf
 *   x < 0 or NaN                      NaN
 */
double real_log_gamma(double x);

/*
 * The derivative of real_log_gamma, for x above 0. The error is at most 1e-14, or 4 units in the
 * last place where that is more.
 *   x is below 2^-1000                -inf
 *   x is +inf                         +inf
 *   x < 0 or NaN                      NaN
 */
double real_digamma(double x);

/*
 * The cube root of a positive, finite x of ordinary size (2^-300 to 2^300): within one unit in the
 * last place, and exact where the root is a whole number below 2^17.
 */
double real_cbrt(double x);

/* weight[j] = exp((s[j] - max s) / epsilon), and returns their sum, from 1 to m. The largest weight
 * is 1, so that nothing overflows. m at least 1; s and weight may be one array. O(m). */
double softmax_weights(size_t m, const double *s, double epsilon, double *weight);

/* p = softmax(s / epsilon): p[j] = exp(s[j] / epsilon) / sum_i exp(s[i] / epsilon). Returns the log
 * of that sum. As above otherwise. */
double softmax(size_t m, const double *s, double epsilon, double *p);

#endif
