/* siphash: SipHash-2-4, a 64-bit hash of bytes under a secret key (Aumasson & Bernstein 2012).
 * Anyone who does not know the key cannot choose bytes that collide. */
#ifndef RANKPIPE_SIPHASH_H
#define RANKPIPE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

/* The bytes so far. A copy continues on its own, so that many texts can share their beginning. */
struct siphash {
    uint64_t v[4], tail; /* tail: the bytes of the last word that is not yet full */
    size_t bytes;
};

/* Before the first byte, under the key of 16 bytes whose little-endian halves are k0 and k1. */
struct siphash siphash_start(uint64_t k0, uint64_t k1);

/* Adds n bytes: where they are cut into calls makes no difference. */
void siphash_add(struct siphash *hash, const void *bytes, size_t n);

/* The hash of the bytes so far; more may be added to `hash` afterwards. */
uint64_t siphash_end(const struct siphash *hash);

#endif
