#include "math/finite.h"

#include <math.h>

#include "base/unaligned.h"
#include "math/vectors.h"

VECTORS_WIDE static bool finite_wide(size_t n, const void *numbers)
{
    return unaligned_finite(numbers, n);
}

bool finite_numbers(size_t n, const void *numbers)
{
    return vectors_wide() ? finite_wide(n, numbers) : unaligned_finite(numbers, n);
}

int finite_scores(size_t m, const double *s, const char *cause, struct fault *fault)
{
    if (finite_numbers(m, s))
        return 0;
    size_t i = 0;
    while (isfinite(s[i]))
        i++;
    return fault_data(fault, "document %zu scores %g: %s", i, s[i], cause);
}
