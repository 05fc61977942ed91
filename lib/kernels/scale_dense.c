#include "kernels/scale_dense.h"

#include <stdint.h>

#include "base/unaligned.h"
#include "kernels/vectors.h"

/* Finds the least and the largest value of each feature. False where a value is not finite. */
VECTORS_INLINE bool find_ranges(const unsigned char *x, size_t docs, size_t dim,
                                float *restrict low, float *restrict high)
{
    uint32_t carried = 0; /* into the sign bit, as finite_numbers does it */
    for (size_t j = 0; j < dim; j++)
        low[j] = high[j] = unaligned_f4(x + j * sizeof *low);
    for (size_t i = 0; i < docs; i++, x += dim * sizeof *low) {
        for (size_t j = 0; j < dim; j++) {
            float value = unaligned_f4(x + j * sizeof value);
            carried |= (unaligned_u4(x + j * sizeof value) & INT32_MAX) + ((uint32_t)1 << 23);
            low[j] = value < low[j] ? value : low[j];
            high[j] = value > high[j] ? value : high[j];
        }
    }
    return carried >> 31 == 0;
}

/* Returns how many are not 0. */
VECTORS_INLINE uint32_t scale_row(const unsigned char *x, size_t dim, const double *restrict from,
                                  const double *restrict by, float *restrict made,
                                  double *restrict sum)
{
    uint32_t nonzero = 0;
    for (size_t j = 0; j < dim; j++) {
        float value = (float)(((double)unaligned_f4(x + j * sizeof value) + from[j]) * by[j]);
        made[j] = value;
        sum[j] += (double)value;
        nonzero += value != 0;
    }
    return nonzero;
}

VECTORS_CLONES bool scale_dense(const unsigned char *x, size_t docs, size_t dim, double *spare,
                                struct scaled_dense *out)
{
    double *from = spare, *by = spare + dim;
    float *low = (float *)(spare + 2 * dim), *high = low + dim;
    if (!find_ranges(x, docs, dim, low, high))
        return false;
    for (size_t j = 0; j < dim; j++) {
        from[j] = 0.0 - (double)low[j]; /* never -0, and so no sum with it is */
        by[j] = high[j] > low[j] ? 1 / ((double)high[j] - (double)low[j]) : 1;
        out->sum[j] = 0;
    }
    out->nonzero = 0;
    for (size_t i = 0; i < docs; i++)
        out->nonzero += scale_row(x + i * dim * sizeof *low, dim, from, by, out->made + i * dim,
                                  out->sum);
    return true;
}
