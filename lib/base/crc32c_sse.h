/* crc32c_sse: crc32c_portable with the instructions of SSE4.2 and PCLMULQDQ, three pieces at
 * once. */
#ifndef RANKPIPE_CRC32C_SSE_H
#define RANKPIPE_CRC32C_SSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Can this processor run crc32c_sse? No, where the compiler does not know these instructions: then
 * crc32c_sse computes nothing. */
bool crc32c_sse_runs(void);

uint32_t crc32c_sse(uint32_t crc, const void *bytes, size_t n);

#endif
