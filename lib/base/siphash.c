#include "base/siphash.h"

#include <string.h>

#include "base/unaligned.h"

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

/* Adds `n` bytes, at most eight, which fill the tail; what does not fit becomes the next one. */
static void add_bytes(struct siphash *hash, uint64_t word, unsigned n)
{
    unsigned filled = (unsigned)(hash->bytes % 8);
    hash->tail |= word << 8 * filled;
    hash->bytes += n;
    if (filled + n < 8)
        return;
    add_word(hash->v, hash->tail);
    hash->tail = filled ? word >> 8 * (8 - filled) : 0;
}

void siphash_add(struct siphash *hash, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    uint64_t word;
    for (; n >= sizeof word; n -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        add_bytes(hash, little_u8(word), sizeof word);
    }
    word = 0;
    for (size_t i = 0; i < n; i++)
        word |= (uint64_t)at[i] << 8 * i;
    add_bytes(hash, word, (unsigned)n);
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
