#include "loss/smooth.h"

#include <stdint.h>

#include "loss/dcg.h"
#include "loss/long_order.h"
#include "math/real.h"

enum { STEPS = 8 }; /* of the work, for one document at one place */

/* h[m] of the place that document d has; returns the mean gain under it. */
static double choose(size_t m, const double *s, const double *gain, double epsilon, size_t d,
                     double *h)
{
    double sum = 0, mean = 0;
    for (size_t i = 0; i < m; i++) {
        double away = (s[i] - s[d]) / epsilon;
        h[i] = real_exp(-(away * away));
        sum += h[i];
    }
    for (size_t i = 0; i < m; i++) {
        h[i] /= sum;
        mean += gain[i] * h[i];
    }
    return mean;
}

/* Subtracts discount times the gradient of that mean from g[m]. */
static void descend(size_t m, const double *s, const double *gain, double epsilon, size_t d,
                    double discount, double mean, const double *h, double *g)
{
    for (size_t i = 0; i < m; i++) {
        if (h[i] == 0)
            continue;
        double rise = 2 * ((s[i] - s[d]) / epsilon) / epsilon * h[i] * (gain[i] - mean) * discount;
        g[i] += rise;
        g[d] -= rise;
    }
}

double smooth_below(size_t m, const double *s, const double *gain, double epsilon, size_t cutoff,
                    double *g, double *scratch, struct long_work *work)
{
    double *h = scratch, sum = 0;
    uint32_t *order = (uint32_t *)(scratch + m);
    if (cutoff == SIZE_MAX || !long_order(work, m, s, order, order + m))
        return 0;
    for (size_t j = 1; j < m && j < cutoff && long_work_goes_on(work, STEPS * m); j++) {
        double mean = choose(m, s, gain, epsilon, order[j], h), discount = dcg_discount(j);
        sum += discount * mean;
        if (g)
            descend(m, s, gain, epsilon, order[j], discount, mean, h, g);
    }
    return sum;
}
