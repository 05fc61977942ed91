/* record_header: the header line of a record, parsed and printed. rankpipe(5) has its grammar. */
#ifndef RANKPIPE_RECORD_HEADER_H
#define RANKPIPE_RECORD_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "stream/record.h"

/* Makes *record that of a header line of n bytes, without its LF: kind, keys, columns (without
 * data) and bytes, which must be the sum of the columns. 0, or a data fault. */
int header_parse(struct record *record, const char *line, size_t n, struct fault *fault);

/* Prints as header_print does, but leaves the digits of a CRC that is wanted 0. */
int header_print_open(const struct record *record, char line[RECORD_LINE + 1], size_t *n,
                      struct fault *fault);

/* Prints a record's header line, with its LF, into `line`, and its length into *n. A CRC that is
 * wanted is computed: O(bytes). 0, or a data fault where it would be longer than RECORD_LINE. */
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

/* Has a record that was read the CRC of its header line? 0, or a data fault, without a place. A
 * record without the key is right. `stored` has its header line of n bytes, LF included, and after
 * it the payload, as they were read. O(bytes). */
int checksum_check(const struct record *record, const void *stored, size_t n,
                   struct fault *fault);

#endif
