#include "math/normal.h"

#include <math.h>

#include "math/real.h"

double normal_draw(struct normals *normals)
{
    double a, b, square;
    normals->waits = !normals->waits;
    if (!normals->waits)
        return normals->second;
    do {
        a = 2 * rng_unit(&normals->rng) - 1;
        b = 2 * rng_unit(&normals->rng) - 1;
        square = a * a + b * b;
    } while (square >= 1 || square == 0);
    double scale = sqrt(-2 * real_log(square) / square);
    normals->second = b * scale;
    return a * scale;
}

/* 1/2 + density(x) (x + x^3/3 + x^5/(3 5) + x^7/(3 5 7) + ...). All terms have one sign, so nothing
 * cancels. */
double normal_below(double x)
{
    static const double density = 0.3989422804014327; /* at 0: 1 / sqrt(2 pi) */
    if (fabs(x) > 9)
        return x > 0;
    double term = x, sum = 0;
    for (double k = 3; fabs(term) > 1e-17 * fabs(sum); k += 2) {
        sum += term;
        term *= x * x / k;
    }
    return 0.5 + density * real_exp(-x * x / 2) * sum;
}

double normal_quantile(double p)
{
    double low = -9, high = 9, middle = 0;
    while (middle != low && middle != high) {
        if (normal_below(middle) < p)
            low = middle;
        else
            high = middle;
        middle = low + (high - low) / 2;
    }
    return middle;
}
