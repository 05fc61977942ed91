/* checksum: the key crc= of a record, the CRC-32C of its header line, with the digits of the key as
 * zeros, and of its payload (rankpipe(5)). */
#ifndef RANKPIPE_CHECKSUM_H
#define RANKPIPE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "stream/record.h"

/* In header lines with the key, of rounds and of models: where its digits begin, and how many they
 * are. */
enum { CHECKSUM_AT = 21, CHECKSUM_DIGITS = 8 };

/* Writes the digits of a CRC. No NUL follows them. */
void checksum_print(char digits[CHECKSUM_DIGITS], uint32_t crc);

/* Reads what checksum_print wrote: true, or false where these characters are nothing such. */
bool checksum_parse(const char digits[CHECKSUM_DIGITS], uint32_t *crc);

/* The CRC of a record that is to be written, whose columns are in memory or made now. `line` is its
 * header line of n bytes, with the key and with the LF. O(bytes). */
uint32_t checksum_of(const struct record *record, const char *line, size_t n);

/* Has a record that was read the CRC of its header line? 0, or a data fault, without a place. A
 * record without the key is right. `stored` has its header line of n bytes, LF included, and after
 * it the payload, as they were read. O(bytes). */
int checksum_check(const struct record *record, const void *stored, size_t n,
                   struct fault *fault);

#endif
