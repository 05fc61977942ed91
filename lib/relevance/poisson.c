#include "relevance/poisson.h"

#include <math.h>

#include "math/lbfgs.h"
#include "math/real.h"

static const double RIDGE = 1e-4, HELD = 30, FLAT = 1e-5;
enum { STEPS = 40 };

void poisson_start(struct poisson *poisson)
{
    double sum = 0;
    for (size_t j = 0; j < poisson->evidence->pairs; j++)
        sum += poisson->u[j] * poisson->evidence->clicks[j];
    poisson->clicks = sum > 1 ? sum : 1;
}

/* ln m of the pairs of query q, for weights x. */
static void expect(const struct poisson *poisson, size_t q, const double *x)
{
    const struct evidence *evidence = poisson->evidence;
    size_t from = evidence->query[q], to = evidence->query[q + 1];
    double *s = poisson->log_mean, b = x[evidence->dim];
    if (evidence->dim)
        matrix_times(&evidence->z[q], x, 1, evidence->dim, s + from, NULL);
    for (size_t j = from; j < to; j++) {
        double exponent = evidence->dim ? s[j] + b : b;
        s[j] = exponent > HELD ? HELD : exponent > -HELD ? exponent : -HELD;
    }
}

double poisson_value(void *of, const double *x, double *g)
{
    struct poisson *poisson = of;
    const struct evidence *evidence = poisson->evidence;
    size_t dim = evidence->dim;
    double value = 0, square = 0;
    for (size_t i = 0; i <= dim; i++)
        g[i] = 0;
    for (size_t q = 0; q < evidence->queries; q++) {
        size_t from = evidence->query[q], to = evidence->query[q + 1];
        expect(poisson, q, x);
        for (size_t j = from; j < to; j++) {
            double s = poisson->log_mean[j], u = poisson->u[j], C = evidence->clicks[j];
            double expected = u > 0 && poisson->E[j] > 0 ? poisson->E[j] * real_exp(s) : 0;
            bool held = s == HELD || s == -HELD;
            poisson->slope[j] = held ? 0 : u * (expected - C);
            g[dim] += poisson->slope[j];
            value += u * (expected - C * s);
        }
        if (dim)
            matrix_transposed_times(&evidence->z[q], poisson->slope + from, g);
    }
    for (size_t i = 0; i <= dim; i++)
        g[i] /= poisson->clicks;
    for (size_t i = 0; i < dim; i++) {
        g[i] += RIDGE * x[i];
        square += x[i] * x[i];
    }
    return value / poisson->clicks + RIDGE / 2 * square;
}

int poisson_fit(struct poisson *poisson, double *x, struct fault *fault)
{
    size_t n = poisson->evidence->dim + 1;
    poisson_start(poisson);
    if (isnan(lbfgs_minimise(poisson_value, poisson, n, x, FLAT, STEPS, fault)) &&
        fault->kind != FAULT_NONE)
        return -1;
    for (size_t q = 0; q < poisson->evidence->queries; q++)
        expect(poisson, q, x);
    return 0;
}
