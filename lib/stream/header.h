/* header: the header line of a record, parsed and printed. rankpipe(5) has its grammar. */
#ifndef RANKPIPE_HEADER_H
#define RANKPIPE_HEADER_H

#include <stddef.h>

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

#endif
