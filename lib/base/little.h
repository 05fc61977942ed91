/* little: numbers in a stream are little-endian. A big-endian machine swaps their bytes where they
 * are read and written; in memory they are the machine's own everywhere. */
#ifndef RANKPIPE_LITTLE_H
#define RANKPIPE_LITTLE_H

#include <stddef.h>
#include <stdint.h>

#if !defined(__BYTE_ORDER__) || \
    (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ && __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__)
#error "little.h: this machine is neither little-endian nor big-endian, or does not say"
#endif

/* Does this machine swap? A constant: where it does not, none of this costs anything. */
#define LITTLE_SWAPS (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* A number of eight bytes, from little-endian to the machine's, or back. */
static inline uint64_t little_u8(uint64_t number)
{
    return LITTLE_SWAPS ? __builtin_bswap64(number) : number;
}

/* The same for n numbers of `width` bytes, 1, 4 or 8, in place and perhaps unaligned. */
void little_numbers(void *numbers, size_t n, size_t width);

#endif
