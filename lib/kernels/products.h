/* products: sums of products of whole numbers, for hashes of features (math/fingerprint.h). */
#ifndef RANKPIPE_KERNEL_PRODUCTS_H
#define RANKPIPE_KERNEL_PRODUCTS_H

#include <stddef.h>
#include <stdint.h>

/* The sum over i of bits(i) k[i], modulo 2^64, where bits(i) are those of the i-th of n floats at
 * x, perhaps unaligned; 0 of -0. */
typedef uint64_t products_kernel(const unsigned char *x, const uint64_t *k, size_t n);
products_kernel products_portable, products_avx2, products_avx512;

#endif
