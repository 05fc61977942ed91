#include "math/finite.h"

#include <math.h>

#include "base/unaligned.h"

/* In a number that is not finite all bits of the exponent are set, so that adding 1 to it carries
 * into the sign bit. The loop has no branch, because it runs often. */
bool finite_numbers(size_t n, const void *numbers)
{
    uint64_t carried = 0;
    for (size_t i = 0; i < n; i++)
        carried |= (unaligned_u8((const unsigned char *)numbers + i * sizeof carried) & INT64_MAX) +
                   ((uint64_t)1 << 52);
    return carried >> 63 == 0;
}

size_t finite_until(size_t n, const void *numbers)
{
    size_t i = finite_numbers(n, numbers) ? n : 0;
    while (i < n && isfinite(unaligned_f8((const unsigned char *)numbers + i * sizeof(double))))
        i++;
    return i;
}

int finite_scores(size_t m, const double *s, const char *cause, struct fault *fault)
{
    size_t i = finite_until(m, s);
    return i == m ? 0 : fault_data(fault, "document %zu scores %g: %s", i, s[i], cause);
}
