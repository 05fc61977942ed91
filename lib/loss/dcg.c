#include "loss/dcg.h"

#include <math.h>

#include "math/real.h"

double dcg_gain_of_any(double R)
{
    return real_exp2(R) - 1;
}

double dcg_discount(size_t i)
{
    static const double first[] = { /* most callers ask for these alone */
        1, 0.63092975357145753, 0.5, 0.43067655807339306, 0.38685280723454163,
        0.35620718710802218, 0.33333333333333331, 0.31546487678572877, 0.3010299956639812,
        0.28906482631788788,
    };
    return i < sizeof first / sizeof *first ? first[i] : 1 / real_log2((double)i + 2);
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
