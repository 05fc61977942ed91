#include "math/finite.h"

#include <math.h>

#include "base/unaligned.h"

int finite_scores(size_t m, const double *s, const char *cause, struct fault *fault)
{
    if (unaligned_finite(s, m))
        return 0;
    size_t i = 0;
    while (isfinite(s[i]))
        i++;
    return fault_data(fault, "document %zu scores %g: %s", i, s[i], cause);
}
