/* unaligned: numbers as they lie in the payload of a record: not aligned, and in a stream
 * little-endian. A big-endian machine swaps their bytes where they are read and written; in memory
 * they are the machine's own everywhere. */
#ifndef RANKPIPE_UNALIGNED_H
#define RANKPIPE_UNALIGNED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define UNALIGNED(name, type)                   \
    static inline type name(const void *p)      \
    {                                           \
        type number;                            \
        memcpy(&number, p, sizeof number);      \
        return number;                          \
    }
UNALIGNED(unaligned_u2, uint16_t)
UNALIGNED(unaligned_u4, uint32_t)
UNALIGNED(unaligned_u8, uint64_t)
UNALIGNED(unaligned_f4, float)
UNALIGNED(unaligned_f8, double)

#if !defined(__BYTE_ORDER__) || \
    (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ && __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__)
#error "unaligned.h: this machine is neither little-endian nor big-endian, or does not say"
#endif

/* Does this machine swap? A constant: where it does not, none of this costs anything. */
#define LITTLE_SWAPS (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* A number of eight bytes, from little-endian to the machine's, or back. */
static inline uint64_t little_u8(uint64_t number)
{
    return LITTLE_SWAPS ? __builtin_bswap64(number) : number;
}

/* The same for n numbers of `width` bytes, 1, 4 or 8, in place and perhaps unaligned. */
static inline void little_numbers(void *numbers, size_t n, size_t width)
{
    unsigned char *at = numbers;
    for (size_t i = 0; LITTLE_SWAPS && width > 1 && i < n; i++, at += width) {
        for (size_t b = 0; b < width / 2; b++) {
            unsigned char byte = at[b];
            at[b] = at[width - 1 - b];
            at[width - 1 - b] = byte;
        }
    }
}

#endif
