#include "base/siphash.h"

#include <string.h>

#include "base/little.h"

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
