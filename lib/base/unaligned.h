/* unaligned: reads numbers from the payload of a record in memory, where they are the machine's own
 * (little.h), and not aligned. */
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

#endif
