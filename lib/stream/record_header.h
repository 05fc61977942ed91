/* record_header: the header line of a record, parsed and printed. rankpipe(5) has its grammar. */
#ifndef RANKPIPE_RECORD_HEADER_H
#define RANKPIPE_RECORD_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "stream/record.h"

/* Parses a header line of n bytes, without its LF, into *record: kind, keys, columns without data,
 * and bytes, which must be the sum of the columns. Returns 0 or a data fault. */
int header_parse(struct record *record, const char *line, size_t n, struct fault *fault);

/* Prints as header_print does, but leaves the digits of a CRC that is wanted 0. */
int header_print_open(const struct record *record, char line[RECORD_LINE + 1], size_t *n,
                      struct fault *fault);

/* Prints a record's header line, with its LF, into `line`, and sets *n to its length. A CRC that is
 * wanted is computed: O(bytes). Returns 0, or a data fault if the line would be longer than
 * RECORD_LINE. */
int header_print(const struct record *record, char line[RECORD_LINE + 1], size_t *n,
                 struct fault *fault);

/* ---- the key crc= ---- */

/* In header lines with the key, of rounds and of models: where its digits begin, and how many they
 * are. */
enum { CHECKSUM_AT = 21, CHECKSUM_DIGITS = 8 };

/* Writes the digits of a CRC. No NUL follows them. */
void checksum_print(char digits[CHECKSUM_DIGITS], uint32_t crc);

/* Reads digits that checksum_print wrote; false where they are anything else. */
bool checksum_parse(const char digits[CHECKSUM_DIGITS], uint32_t *crc);

/* Returns 0 if a record that was read has the CRC of its header line, or has no key crc=; else a
 * data fault, without a place. `stored` has the header line of n bytes, with its LF, and then the
 * payload, as they were read. O(bytes). */
int checksum_check(const struct record *record, const void *stored, size_t n,
                   struct fault *fault);

#endif
