#include "math/fingerprint.h"

#include <string.h>

#include "base/unaligned.h"
#include "kernels/vectors.h"

/* 2^64 over the golden ratio, and the multipliers of splitmix64 (Steele, Lea & Flood 2014). */
static const uint64_t golden = 0x9e3779b97f4a7c15u;
static const uint64_t first = 0xbf58476d1ce4e5b9u, second = 0x94d049bb133111ebu;

/* k(j): what splitmix64 draws as its number j + 1 after the seed 0. */
static inline uint64_t multiplier(uint64_t j)
{
    uint64_t k = (j + 1) * golden;
    k = (k ^ k >> 30) * first;
    k = (k ^ k >> 27) * second;
    return k ^ k >> 31;
}

/* The sum over i of bits(i) k[i], where bits(i) are those of the i-th of n floats at x, 0 of -0.
 * Sums modulo 2^64 have no order, so the compiler is free to use vectors. */
VECTORS_CLONES_512 static uint64_t sum_products(const unsigned char *x, const uint64_t *k,
                                                size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t v = unaligned_u4(x + sizeof v * i);
        sum += (uint64_t)(v == 0x80000000u ? 0 : v) * k[i];
    }
    return sum;
}

static int hash_dense(const struct matrix *x, struct buffer *scratch, uint64_t *hash,
                      struct fault *fault)
{
    uint64_t *k = buffer_for(scratch, x->dim, sizeof *k, fault);
    if (!k) return -1;
    for (size_t j = 0; j < x->dim; j++)
        k[j] = multiplier(j);
    for (size_t i = 0; i < x->docs; i++)
        hash[i] = sum_products(x->x + sizeof(float) * x->dim * i, k, x->dim);
    return 0;
}

static void hash_sparse(const struct matrix *x, uint64_t *hash)
{
    for (size_t i = 0; i < x->docs; i++) {
        uint64_t sum = 0;
        size_t to = unaligned_u4(x->ptr + 4 * (i + 1));
        for (size_t e = unaligned_u4(x->ptr + 4 * i); e < to; e++) {
            uint32_t v = unaligned_u4(x->val + 4 * e);
            sum += (v == 0x80000000u ? 0 : v) * multiplier(unaligned_u4(x->idx + 4 * e));
        }
        hash[i] = sum;
    }
}

int fingerprint_rows(const struct matrix *x, struct buffer *scratch, uint64_t *hash,
                     struct fault *fault)
{
    if (x->kind == MATRIX_DENSE)
        return hash_dense(x, scratch, hash, fault);
    hash_sparse(x, hash);
    return 0;
}

int fingerprint_places(size_t docs, const uint64_t *hash, uint64_t secret, struct buffer *scratch,
                       uint32_t *place, struct fault *fault)
{
    size_t places = 16;
    while (places < 2 * docs)
        places *= 2;
    uint32_t *last = buffer_for(scratch, places, sizeof *last, fault); /* with a hash, from 1 */
    if (!last) return -1;
    memset(last, 0, places * sizeof *last);
    for (size_t i = 0; i < docs; i++) {
        size_t at = (size_t)(hash[i] * (secret | 1) >> 32) & (places - 1);
        while (last[at] && hash[last[at] - 1] != hash[i])
            at = (at + 1) & (places - 1);
        place[i] = last[at] ? place[last[at] - 1] + 1 : 0;
        last[at] = (uint32_t)i + 1;
    }
    return 0;
}
