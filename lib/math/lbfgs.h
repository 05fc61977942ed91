/* lbfgs: the least value of a smooth, convex function, by limited-memory BFGS (Nocedal 1980;
 * Nocedal and Wright 2006, algorithm 7.5).
 *
 * The same function gives the same bits on every machine, if the function itself does. */
#ifndef RANKPIPE_LBFGS_H
#define RANKPIPE_LBFGS_H

#include <stddef.h>

#include "base/fault.h"

/* The function at x[n], and its gradient g[n]. */
typedef double lbfgs_function(void *of, const double *x, double *g);

/* Moves x[n] to where f is least: until no element of the gradient is above `least`, f falls
 * by less than 1e-9 of itself, or so many steps were made. Each step satisfies the weak Wolfe
 * conditions (1e-4, 0.9), by bisection (Lewis and Overton 2013). Returns f(x), or NaN with a fault
 * where there is no memory for 20 n numbers. A step costs a value of f or two, and O(n). */
double lbfgs_minimise(lbfgs_function *f, void *of, size_t n, double *x, double least,
                      unsigned steps, struct fault *fault);

#endif
