#include "kernels/scale_dense.h"

#include <stdint.h>

#include "base/unaligned.h"
#include "kernels/vectors.h"

/* Finds the least and the largest value of each feature, and the largest less the least, or 1 where
 * these are equal. False where a value is not finite. */
VECTORS_INLINE bool find_ranges(const unsigned char *x, size_t docs, size_t dim,
                                float *restrict low, float *restrict high,
                                double *restrict range)
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
    for (size_t j = 0; j < dim; j++)
        range[j] = high[j] > low[j] ? (double)high[j] - (double)low[j] : 1;
    return carried >> 31 == 0;
}

VECTORS_INLINE void scale_row(const unsigned char *x, size_t dim, const float *restrict low,
                              const double *restrict range, float *restrict made)
{
    for (size_t j = 0; j < dim; j++) {
        double value = (double)unaligned_f4(x + j * sizeof(float));
        made[j] = (float)((value - (double)low[j]) / range[j] + 0.0);
    }
}

VECTORS_INLINE bool scale(const unsigned char *x, size_t docs, size_t dim, double *spare,
                          float *made)
{
    double *range = spare;
    float *low = (float *)(spare + dim), *high = low + dim;
    if (!find_ranges(x, docs, dim, low, high, range))
        return false;
    for (size_t i = 0; i < docs; i++)
        scale_row(x + i * dim * sizeof *made, dim, low, range, made + i * dim);
    return true;
}

bool scale_dense_portable(const unsigned char *x, size_t docs, size_t dim, double *spare,
                          float *made)
{
    return scale(x, docs, dim, spare, made);
}

#if VECTORS_X86
VECTORS_AVX2 bool scale_dense_avx2(const unsigned char *x, size_t docs, size_t dim, double *spare,
                                   float *made)
{
    return scale(x, docs, dim, spare, made);
}
#endif
