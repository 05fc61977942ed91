#include "kernels/products.h"

#include "base/unaligned.h"
#include "kernels/vectors.h"

/* Sums modulo 2^64 have no order, so the compiler is free to use vectors. */
VECTORS_INLINE uint64_t sum_products(const unsigned char *x, const uint64_t *k, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t v = unaligned_u4(x + sizeof v * i);
        sum += (uint64_t)(v == 0x80000000u ? 0 : v) * k[i];
    }
    return sum;
}

uint64_t products_portable(const unsigned char *x, const uint64_t *k, size_t n)
{
    return sum_products(x, k, n);
}

#if VECTORS_X86
VECTORS_AVX2 uint64_t products_avx2(const unsigned char *x, const uint64_t *k, size_t n)
{
    return sum_products(x, k, n);
}

VECTORS_AVX512 uint64_t products_avx512(const unsigned char *x, const uint64_t *k, size_t n)
{
    return sum_products(x, k, n);
}
#endif
