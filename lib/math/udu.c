#include "math/udu.h"

#include <math.h>
#include <stdint.h>

size_t udu_size(size_t n)
{
    size_t a = n % 2 ? n : n / 2, b = n % 2 ? n / 2 + 1 : n + 1;
    return n == SIZE_MAX || a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

void udu_spread(const double *a, size_t n, const double *x, double *y)
{
    for (size_t j = 0; j < n; a += ++j) {
        double by = sqrt(a[j]) * x[j];
        for (size_t i = 0; i < j; i++)
            y[i] += a[i] * by;
        y[j] = by;
    }
}
