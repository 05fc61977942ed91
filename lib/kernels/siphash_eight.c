#include "kernels/siphash_eight.h"

#include <string.h>

#include "kernels/vectors.h"

enum { WORD = 64 };
typedef uint64_t eight __attribute__((vector_size(SIPHASH_EIGHT * sizeof(uint64_t))));

/* clang-format off */
#define ROTATE(x, by) ((x) << (by) | (x) >> (WORD - (by)))
/* clang-format on */

/* SipRound. */
VECTORS_INLINE void stir(eight v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = ROTATE(v[1], 13) ^ v[0];
    v[3] = ROTATE(v[3], 16) ^ v[2];
    v[0] = ROTATE(v[0], 32) + v[3];
    v[2] += v[1];
    v[1] = ROTATE(v[1], 17) ^ v[2];
    v[3] = ROTATE(v[3], 21) ^ v[0];
    v[2] = ROTATE(v[2], 32);
}

VECTORS_CLONES_512 void siphash_eight(const struct siphash *begun,
                                      const uint64_t low[SIPHASH_EIGHT],
                                      const uint64_t high[SIPHASH_EIGHT], unsigned n,
                                      uint64_t out[SIPHASH_EIGHT])
{
    const unsigned there = 8 * (unsigned)(begun->bytes % 8), words = (there / 8 + n) / 8;
    const uint64_t count = (uint64_t)(begun->bytes + n) << 56;
    eight v[4], l, h, word[3] = { { 0 } };
    memcpy(&l, low, sizeof l);
    memcpy(&h, high, sizeof h);
    for (size_t i = 0; i < 4; i++)
        v[i] = (eight){ 0 } + begun->v[i];
    word[0] = begun->tail | l << there;
    word[1] = there ? h << there | l >> (WORD - there) : h;
    if (there)
        word[2] = h >> (WORD - there);
    for (size_t i = 0; i <= words; i++) {
        eight next = word[i] | (i == words ? count : 0);
        v[3] ^= next;
        stir(v);
        stir(v);
        v[0] ^= next;
    }
    v[2] ^= 0xff;
    for (size_t i = 0; i < 4; i++)
        stir(v);
    v[0] ^= v[1] ^ v[2] ^ v[3];
    memcpy(out, &v[0], sizeof v[0]);
}
