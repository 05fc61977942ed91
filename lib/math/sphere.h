/* sphere: random directions, all equally likely. */
#ifndef RANKPIPE_SPHERE_H
#define RANKPIPE_SPHERE_H

#include <stddef.h>

#include "math/normal.h"

/* u[n] becomes a vector of length 1, uniform on the sphere: a Gaussian vector, scaled. Does nothing
 * where n is 0. */
void sphere_draw(struct normals *normals, size_t n, double *u);

#endif
