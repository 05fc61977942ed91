#include "measure/paired.h"

#include <math.h>

#include "math/real.h"
#include "math/rng.h"

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

enum { GROUP = 4, CHOICES = 1 << GROUP, GROUPS = 64 / GROUP };

/* sum[groups][CHOICES]: each group of four differences with each choice of their signs, where a bit
 * is a difference with its sign changed. Differences of 0 have no part: either sign is the same. */
static size_t sum_groups(const double *d, size_t n, double (*sum)[CHOICES])
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (d[i] == 0)
            continue;
        double *group = sum[k / GROUP];
        for (size_t bits = 0; bits < CHOICES; bits++)
            group[bits] = (k % GROUP ? group[bits] : 0) +
                          (bits >> k % GROUP & 1 ? -d[i] : d[i]);
        k++;
    }
    return k;
}

/* The groups by the signs that `next` has, 16 groups a number. */
static double signed_sum(double (*const sum)[CHOICES], size_t groups, uint64_t first,
                         struct rng *next)
{
    double total = 0;
    uint64_t bits = first;
    for (size_t g = 0; g < groups; g++, bits >>= GROUP) {
        if (next && g % GROUPS == 0)
            bits = rng_bits(next);
        total += sum[g][bits % CHOICES];
    }
    return total;
}

/* The p of the randomisation test of k differences that are not 0. */
static double randomise(double (*const sum)[CHOICES], size_t k, double least, uint64_t most,
                        uint64_t seed)
{
    const size_t groups = (k + GROUP - 1) / GROUP;
    const bool all = k < 53 && (uint64_t)1 << k <= most;
    const uint64_t draws = all ? (uint64_t)1 << k : most;
    uint64_t count = 0;
    for (uint64_t i = 0; i < draws; i++) {
        struct rng rng = rng_at(seed, RNG_SIGNS, i);
        count += fabs(signed_sum(sum, groups, i, all ? NULL : &rng)) >= least;
    }
    return all ? (double)count / (double)draws : ((double)count + 1) / ((double)draws + 1);
}

static void test_t(const double *d, size_t n, struct paired *result)
{
    double squares = 0, cubes = 0, freedom = (double)n - 1;
    for (size_t i = 0; i < n; i++) {
        double away = d[i] - result->mean;
        squares += away * away;
        cubes += away * away * away;
    }
    double variance = squares / (double)n;
    result->skew = variance > 0 ? cubes / (double)n / (variance * sqrt(variance)) : 0;
    result->low = result->high = result->p_t = NAN;
    if (n < 2)
        return;
    double error = sqrt(squares / freedom / (double)n);
    double away = error * tails_student_quantile(0.05, freedom);
    result->low = result->mean - away;
    result->high = result->mean + away;
    result->p_t = result->mean == 0 ? 1 : tails_student(result->mean / error, freedom);
}

bool paired_skewed(const struct paired *paired)
{
    const double n = (double)(paired->above + paired->below + paired->same);
    const double square = paired->skew * paired->skew;
    return square > 1 && square > n / 10;
}

int paired_test(const double *d, size_t n, uint64_t most, uint64_t seed, struct buffer *scratch,
                struct paired *result, struct fault *fault)
{
    double total = 0, size = 0;
    double(*sum)[CHOICES] = buffer_for(scratch, n / GROUP + 1, sizeof *sum, fault);
    if (!sum) return -1;
    *result = (struct paired){ 0 };
    for (size_t i = 0; i < n; i++) {
        result->above += d[i] > 0;
        result->below += d[i] < 0;
        total += d[i];
        size += fabs(d[i]);
    }
    result->same = n - result->above - result->below;
    result->mean = total / (double)n;
    result->p = randomise(sum, sum_groups(d, n, sum), fabs(total) - 1e-12 * size, most, seed);
    result->p_signs = tails_coins(result->above, result->below);
    test_t(d, n, result);
    return 0;
}

void paired_holm(const double *p, size_t n, double *adjusted)
{
    const double waits = -1;
    double most = 0;
    for (size_t i = 0; i < n; i++)
        adjusted[i] = waits;
    for (size_t left = n; left > 0; left--) {
        size_t least = n;
        for (size_t i = 0; i < n; i++)
            if (adjusted[i] == waits && (least == n || p[i] < p[least]))
                least = i;
        double raised = (double)left * p[least];
        if (raised > most)
            most = raised < 1 ? raised : 1;
        adjusted[least] = most;
    }
}
