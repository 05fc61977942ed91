#include "kernels/variances.h"

#include <string.h>

#include "kernels/vectors.h"

enum { FOUR = 4 };

#define KIND(name) name##_portable
#define TARGET
#define WIDTH 2
#define SETS 2
#define COLUMNS 1
#define SHARING 2
#include "kernels/variances_body.h"

#if VECTORS_X86
#define KIND(name) name##_avx2
#define TARGET VECTORS_AVX2
#define WIDTH 4
#define SETS 1
#define COLUMNS 2
#define SHARING 4
#include "kernels/variances_body.h"

#define KIND(name) name##_avx512
#define TARGET VECTORS_AVX512
#define WIDTH 8
#define SETS 2
#define COLUMNS 2
#define SHARING 4
#include "kernels/variances_body.h"
#endif

/* Two columns and two lanes of each at a time: four sums that do not wait for each other. */
void variances_shared(const double *a, size_t n, const double *z, double *shared)
{
    for (size_t c = 0; c < n; c += 2) {
        const double *one = a + c * (c + 1) / 2, *other = c + 1 < n ? one + c + 1 : one;
        double lane[4] = { 0 };
        for (size_t i = 0; i < c - c % FOUR; i += FOUR) {
            lane[0] += one[i + 1] * z[i + 1];
            lane[1] += one[i + 3] * z[i + 3];
            lane[2] += other[i + 1] * z[i + 1];
            lane[3] += other[i + 3] * z[i + 3];
        }
        shared[c] = lane[0] + lane[1];
        if (c + 1 < n)
            shared[c + 1] = lane[2] + lane[3];
    }
}
