/* crc32c: CRC-32C (Castagnoli), the checksum of iSCSI and ext4 (RFC 3720, appendix B.4). It finds
 * every change of up to 32 bits in a row, and of any 3 bits in less than 250 MB. */
#ifndef RANKPIPE_CRC32C_H
#define RANKPIPE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The CRC-32C of n bytes after those that have the CRC-32C `crc`, which is 0 before the first byte.
 * Where the bytes are cut into calls makes no difference. O(n). */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t n);

/* The same by tables, where crc32c has instructions for it: SSE4.2 and PCLMULQDQ. */
uint32_t crc32c_portable(uint32_t crc, const void *bytes, size_t n);

/* The CRC-32C of some bytes and of n bytes after them, given that of each. O(log n). */
uint32_t crc32c_join(uint32_t before, uint32_t after, uint64_t n);

#endif
