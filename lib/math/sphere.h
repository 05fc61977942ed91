/* sphere: random directions, all equally likely. */
#ifndef RANKPIPE_SPHERE_H
#define RANKPIPE_SPHERE_H

#include <stddef.h>

#include "math/normal.h"

/* Draws u[n], uniform on the unit sphere: a Gaussian vector, scaled to length 1. Draws nothing if n
 * is 0. */
void sphere_draw(struct normals *normals, size_t n, double *u);

#endif
