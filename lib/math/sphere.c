#include "math/sphere.h"

#include "math/matrix.h"

void sphere_draw(struct normals *normals, size_t n, double *u)
{
    double norm = 0;
    while (norm == 0 && n > 0) {
        for (size_t j = 0; j < n; j++)
            u[j] = normal_draw(normals);
        norm = matrix_norm(u, n);
    }
    for (size_t j = 0; j < n; j++)
        u[j] /= norm;
}
