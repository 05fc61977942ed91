/*
 * crc32c: by tables and by instructions it gives the value of the definition, bit by bit, of
 * messages of each length at each alignment, however they are cut into calls; and the values of
 * RFC 3720.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/crc32c.h"
#include "math/rng.h"

/* All lengths up to LENGTHS, at all of 16 places; then some up to LONGEST. */
enum { LENGTHS = 900, PLACES = 16, LONGEST = 40000 };

static int wrong;

/* The definition: the remainder of the message by the polynomial 1edc6f41, its bits reflected. */
static uint32_t by_bits(const unsigned char *at, size_t n)
{
    uint32_t left = 0xffffffff;
    for (size_t i = 0; i < n; i++) {
        left ^= at[i];
        for (int bit = 0; bit < 8; bit++)
            left = left >> 1 ^ (left & 1 ? 0x82f63b78 : 0);
    }
    return ~left;
}

/* In two calls, each way: cut <= n. */
static void hold(const unsigned char *at, size_t n, size_t cut, uint32_t want)
{
    for (size_t i = 0; i < 2; i++) {
        uint32_t (*sum)(uint32_t, const void *, size_t) = i ? crc32c : crc32c_portable;
        uint32_t got = sum(sum(0, at, cut), at + cut, n - cut);
        uint32_t joined = crc32c_join(sum(0, at, cut), sum(0, at + cut, n - cut), n - cut);
        if (got == want && joined == want)
            continue;
        wrong++;
        fprintf(stderr, "crc32c: %s, %zu bytes, cut at %zu: %08" PRIx32 ", not %08" PRIx32 "\n",
                i ? "by instructions" : "by tables", n, cut, got, want);
    }
}

static void vector(const unsigned char *at, size_t n, uint32_t want)
{
    if (by_bits(at, n) != want) {
        wrong++;
        fprintf(stderr, "crc32c: the definition gives not %08" PRIx32 "\n", want);
    }
    for (size_t cut = 0; cut <= n; cut++)
        hold(at, n, cut, want);
}

/* RFC 3720, appendix B.4, and the check value of catalogues. */
static void published(void)
{
    unsigned char bytes[32];
    static const unsigned char pdu[48] = {
        [0] = 0x01, 0xc0, [16] = 0x14, [22] = 0x04, [27] = 0x14, [31] = 0x18, [32] = 0x28,
        [40] = 0x02,
    };
    vector(memset(bytes, 0, sizeof bytes), sizeof bytes, 0x8a9136aa);
    vector(memset(bytes, 255, sizeof bytes), sizeof bytes, 0x62a8ab43);
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    vector(bytes, sizeof bytes, 0x46dd794e);
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(31 - i);
    vector(bytes, sizeof bytes, 0x113fdb5c);
    vector(pdu, sizeof pdu, 0xd9963a56);
    vector((const unsigned char *)"123456789", 9, 0xe3069283);
    vector(bytes, 0, 0);
}

int main(void)
{
    struct rng rng = rng_at(1, RNG_REPLAY, 1);
    unsigned char *bytes = malloc(LONGEST);
    if (!bytes)
        return 1;
    for (size_t i = 0; i < LONGEST; i++)
        bytes[i] = (unsigned char)rng_below(&rng, 256);
    published();
    for (size_t n = 0; n <= LENGTHS; n++)
        for (size_t place = 0; place < PLACES; place++)
            hold(bytes + place, n, rng_below(&rng, (uint32_t)n + 1), by_bits(bytes + place, n));
    for (size_t n = LENGTHS; n + PLACES < LONGEST; n += n / 7 + 1)
        for (size_t place = 0; place < PLACES; place += 5)
            hold(bytes + place, n, rng_below(&rng, (uint32_t)n + 1), by_bits(bytes + place, n));
    free(bytes);
    printf("crc32c: %d wrong\n", wrong);
    return wrong != 0;
}
