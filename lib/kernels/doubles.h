/* doubles: sums and products of rows of doubles, and what one row of floats has more than another.
 */
#ifndef RANKPIPE_DOUBLES_H
#define RANKPIPE_DOUBLES_H

#include <stddef.h>

/* x.y of n numbers each, in the lanes of lanes.h. */
typedef double dot_kernel(const double *x, const double *y, size_t n);
dot_kernel dot_portable, dot_avx2, dot_avx512;

/* y += a x, n numbers each, which do not overlap. */
typedef void add_times_kernel(double a, const double *x, double *y, size_t n);
add_times_kernel add_times_portable, add_times_avx2;

/* d = a - b of n floats each, perhaps unaligned. */
typedef void difference_kernel(const unsigned char *a, const unsigned char *b, size_t n, double *d);
difference_kernel difference_portable, difference_avx2;

#endif
