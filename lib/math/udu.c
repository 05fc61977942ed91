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

/* Column j: U above the diagonal, and there D. */
static double *column(double *a, size_t j)
{
    return a + j * (j + 1) / 2;
}

/* U becomes U^-1; D stays. */
static void invert_unit(double *a, size_t n)
{
    for (size_t j = 1; j < n; j++) {
        double *x = column(a, j);
        for (size_t k = 0; k < j; k++) { /* x = U^-1 x, with what is inverted already */
            const double *v = column(a, k);
            for (size_t i = 0; i < k; i++)
                x[i] += v[i] * x[k];
        }
        for (size_t i = 0; i < j; i++)
            x[i] = -x[i];
    }
}

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* P^-1 = V' D^-1 V with V = U^-1. The columns that come before are still V's, and so is x up to
 * where it is needed. */
void udu_to_inverse(double *a, size_t n)
{
    invert_unit(a, n);
    for (size_t j = n; j-- > 0;) {
        double *x = column(a, j), diagonal = 1 / x[j];
        for (size_t k = 0; k < j; k++) {
            double scaled = x[k] / column(a, k)[k];
            diagonal += x[k] * scaled;
            x[k] = scaled;
        }
        for (size_t i = j; i-- > 0;)
            x[i] += dot(column(a, i), x, i);
        x[j] = diagonal;
    }
}

/* V and D^-1 from V' D^-1 V, column by column. */
bool udu_of_inverse(double *a, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        double *x = column(a, j), left = x[j];
        for (size_t i = 0; i < j; i++)
            x[i] -= dot(column(a, i), x, i);
        for (size_t k = 0; k < j; k++) {
            double part = x[k] * column(a, k)[k];
            left -= x[k] * part;
            x[k] = part;
        }
        x[j] = 1 / left;
        if (!(left > 0) || !(x[j] > 0) || isinf(x[j]))
            return false;
    }
    invert_unit(a, n);
    return true;
}

void udu_times(const double *a, size_t n, const double *x, double *y)
{
    const double *u = a;
    for (size_t j = 0; j < n; u += ++j)
        y[j] = u[j] * (x[j] + dot(u, x, j)); /* D U' x */
    u = a;
    for (size_t j = 0; j < n; u += ++j)
        for (size_t i = 0; i < j; i++)
            y[i] += u[i] * y[j];
}

void udu_inverse_times(const double *a, size_t n, const double *x, double *y)
{
    for (size_t j = 0; j < n; a += ++j) {
        y[j] = a[j] * x[j] + dot(a, x, j);
        for (size_t i = 0; i < j; i++)
            y[i] += a[i] * x[j];
    }
}
