#include "loss/dcg.h"

#include <math.h>

#include "math/real.h"

double dcg_gain_of_any(double R)
{
    return real_exp2(R) - 1;
}

double dcg_discount(size_t i)
{
    static double known[16]; /* 0: not yet */
    if (i >= sizeof known / sizeof *known)
        return 1 / real_log2((double)i + 2);
    if (known[i] == 0)
        known[i] = 1 / real_log2((double)i + 2);
    return known[i];
}

double dcg_letor_discount(size_t i)
{
    return i < 2 ? 1 : 1 / real_log2((double)i + 1);
}

int dcg_check(size_t n, const double *R, struct fault *fault)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += dcg_gain(R[i]);
    return isfinite(sum) ? 0
                         : fault_data(fault, "a relevance is too large: its gain, 2^relevance, "
                                      "overflows");
}

double dcg_sum(size_t n, const double *R)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if (R[i] > 0)
            sum += dcg_gain(R[i]) * dcg_discount(i);
    return sum;
}
