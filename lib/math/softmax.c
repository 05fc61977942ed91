#include "math/softmax.h"

#include "math/real.h"

static double largest(size_t m, const double *s)
{
    double most = s[0];
    for (size_t j = 1; j < m; j++)
        if (s[j] > most)
            most = s[j];
    return most;
}

static double weigh(size_t m, const double *s, double epsilon, double most, double *weight)
{
    double sum = 0;
    for (size_t j = 0; j < m; j++)
        sum += weight[j] = real_exp((s[j] - most) / epsilon);
    return sum;
}

double softmax_weights(size_t m, const double *s, double epsilon, double *weight)
{
    return weigh(m, s, epsilon, largest(m, s), weight);
}

double softmax(size_t m, const double *s, double epsilon, double *p)
{
    double most = largest(m, s), sum = weigh(m, s, epsilon, most, p);
    for (size_t j = 0; j < m; j++)
        p[j] /= sum;
    return most / epsilon + real_log(sum);
}
