#include "base/siphash.h"

#include <string.h>

#include "base/little.h"

/* Four hashes at once, as vectors that the compiler maps to the machine's own. */
typedef uint64_t four __attribute__((vector_size(4 * sizeof(uint64_t))));

static uint64_t rotate(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

/* SipRound. */
static void stir(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32) + v[3];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

static void add_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    stir(v);
    stir(v);
    v[0] ^= word;
}

struct siphash siphash_start(uint64_t k0, uint64_t k1)
{
    return (struct siphash){ .v = { k0 ^ 0x736f6d6570736575u, k1 ^ 0x646f72616e646f6du,
                                    k0 ^ 0x6c7967656e657261u, k1 ^ 0x7465646279746573u } };
}

/* Adds one byte to the tail, below a full word. */
static void add_byte(struct siphash *hash, unsigned char byte)
{
    hash->tail |= (uint64_t)byte << 8 * (hash->bytes++ % 8);
    if (hash->bytes % 8)
        return;
    add_word(hash->v, hash->tail);
    hash->tail = 0;
}

/* Eight bytes at a time: the first of them fill the tail, the rest become the next one. */
void siphash_add(struct siphash *hash, const void *bytes, size_t n)
{
    const unsigned char *at = bytes, *end = at + n;
    unsigned filled = 8 * (unsigned)(hash->bytes % 8);
    for (uint64_t word; end - at >= 8; at += sizeof word, hash->bytes += sizeof word) {
        memcpy(&word, at, sizeof word);
        word = little_u8(word);
        add_word(hash->v, hash->tail | word << filled);
        hash->tail = filled ? word >> (64 - filled) : 0;
    }
    while (at < end)
        add_byte(hash, *at++);
}

uint64_t siphash_end(const struct siphash *hash)
{
    struct siphash last = *hash;
    add_word(last.v, last.tail | (uint64_t)last.bytes << 56);
    last.v[2] ^= 0xff;
    for (int i = 0; i < 4; i++)
        stir(last.v);
    return last.v[0] ^ last.v[1] ^ last.v[2] ^ last.v[3];
}

/* SipRound, as `stir` has it. */
static inline void stir_four(four v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = (v[1] << 13 | v[1] >> 51) ^ v[0];
    v[3] = (v[3] << 16 | v[3] >> 48) ^ v[2];
    v[0] = (v[0] << 32 | v[0] >> 32) + v[3];
    v[2] += v[1];
    v[1] = (v[1] << 17 | v[1] >> 47) ^ v[2];
    v[3] = (v[3] << 21 | v[3] >> 43) ^ v[0];
    v[2] = v[2] << 32 | v[2] >> 32;
}

static inline void add_four(four v[4], const four *word)
{
    v[3] ^= *word;
    stir_four(v);
    stir_four(v);
    v[0] ^= *word;
}

void siphash_end_four(const struct siphash *hash, unsigned n, const uint64_t suffix[4],
                      uint64_t end[4])
{
    four v[4], more, zero = { 0 };
    unsigned filled = hash->bytes % 8;
    memcpy(&more, suffix, sizeof more);
    for (size_t i = 0; i < 4; i++)
        v[i] = zero + hash->v[i];
    four word = more << 8 * filled | hash->tail;
    if (filled + n >= 8) {
        add_four(v, &word);
        word = more >> (64 - 8 * filled); /* n is below 8, so filled is above 0 */
    }
    word |= (uint64_t)(hash->bytes + n) << 56;
    add_four(v, &word);
    v[2] ^= zero + 0xff;
    for (int i = 0; i < 4; i++)
        stir_four(v);
    v[0] ^= v[1] ^ v[2] ^ v[3];
    memcpy(end, &v[0], sizeof v[0]);
}
