/* triangle: a symmetric matrix, of which only the rows up to the diagonal are kept, one behind the
 * other: a[n (n + 1) / 2]. What is half as much to read and to write is nearly half the time; and
 * it grows at its end. */
#ifndef RANKPIPE_TRIANGLE_H
#define RANKPIPE_TRIANGLE_H

#include <stddef.h>

/* The numbers of n rows, SIZE_MAX if they are no fewer. */
size_t triangle_size(size_t n);

/* y = A x, for x[n] and y[n]. The order of the sums is fixed: the same bits on each machine, and
 * numbers of x that are 0 might as well not be there. */
void triangle_times(const double *a, size_t n, const double *x, double *y);

/* A -= v v', for v[n]. */
void triangle_less(double *a, size_t n, const double *v);

#endif
