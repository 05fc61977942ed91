#include "dcg.h"

#include "real.h"

double dcg_gain(double R)
{
    return real_exp2(R) - 1;
}

double dcg_discount(size_t i)
{
    return 1 / real_log2((double)i + 2);
}

double dcg_sum(size_t n, const double *R)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if (R[i] > 0)
            sum += dcg_gain(R[i]) * dcg_discount(i);
    return sum;
}
