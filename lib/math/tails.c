#include "math/tails.h"

#include <math.h>

#include "math/real.h"

static const double SQRT_PI = 0x1.c5bf891b4ef6bp+0;
static const double NO_LESS = 1e-300; /* what takes the place of a denominator of 0 */
enum { FRACTIONS = 1000000, HALVINGS = 2000 };

/* ln(1 + u) for u >= 0: what rounding 1 + u loses is lost in w - 1 too. */
static double log_one_plus(double u)
{
    double w = 1 + u;
    return w == 1 ? u : w == INFINITY ? w : real_log(w) * (u / (w - 1));
}

/* Gamma(z + 1/2) / Gamma(z), by the asymptotic series of its logarithm from 16 on; a smaller z is
 * moved there by Gamma(z + 1) = z Gamma(z). The terms left out are below 2^-52. */
static double gamma_ratio(double z)
{
    double product = 1;
    for (; z < 16; z++)
        product *= z / (z + 0.5);
    double s = 1 / (z * z);
    double series = (-1.0 / 8 + s * (1.0 / 192 + s * (-1.0 / 640 + s * (17.0 / 14336 +
                     s * (-31.0 / 18432 + s * (691.0 / 180224)))))) / z;
    return product * sqrt(z) * real_exp(series);
}

static double no_less(double x)
{
    return fabs(x) < NO_LESS ? NO_LESS : x;
}

/* The continued fraction of I_x(a, b), by the recurrence of Lentz (Press et al., Numerical Recipes,
 * 6.4). It converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / no_less(1 - (a + b) * x / (a + 1)), h = d;
    for (int i = 1; i < FRACTIONS; i++) {
        double m = i, step;
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / no_less(1 + even * d);
        c = no_less(1 + even / c);
        h *= d * c;
        d = 1 / no_less(1 + odd * d);
        c = no_less(1 + odd / c);
        step = d * c;
        h *= step;
        if (fabs(step - 1) < 0x1p-52)
            break;
    }
    return h;
}

double tails_student(double t, double freedom)
{
    const double a = freedom / 2, u = t * t / freedom;
    if (isnan(t) || !(freedom >= 1))
        return NAN;
    if (u == INFINITY)
        return 0;
    const double x = 1 / (1 + u), rest = u / (1 + u);
    const double front = real_exp(-a * log_one_plus(u)) * sqrt(rest) * gamma_ratio(a) / SQRT_PI;
    return x < (a + 1) / (a + 2.5) ? front * beta_fraction(a, 0.5, x) / a
                                   : 1 - 2 * front * beta_fraction(0.5, a, rest);
}

double tails_student_quantile(double p, double freedom)
{
    double low = 0, high = 1;
    while (tails_student(high, freedom) > p) {
        low = high;
        high *= 2;
    }
    for (int i = 0; i < HALVINGS; i++) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (tails_student(middle, freedom) > p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Binomial coefficients downwards from the middle one, relative to it, so that none overflows. */
double tails_coins(size_t heads, size_t tails)
{
    const size_t n = heads + tails, least = heads < tails ? heads : tails, middle = n / 2;
    double all = 0, tail = 0, term = 1;
    for (size_t i = middle;; i--) {
        all += n % 2 == 0 && i == middle ? term : 2 * term;
        tail += i <= least ? 2 * term : 0;
        if (i == 0 || term == 0)
            break;
        term *= (double)i / (double)(n - i + 1);
    }
    return tail < all ? tail / all : 1;
}
