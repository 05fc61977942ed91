/* crc32c_avx512: crc32c_portable with the vectors of AVX-512 and VPCLMULQDQ, 256 bytes at once. */
#ifndef RANKPIPE_CRC32C_AVX512_H
#define RANKPIPE_CRC32C_AVX512_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Can this processor run crc32c_avx512? No, where the compiler does not know these vectors: then
 * crc32c_avx512 computes nothing. */
bool crc32c_avx512_runs(void);

uint32_t crc32c_avx512(uint32_t crc, const void *bytes, size_t n);

#endif
