/* decimal: where a decimal number ends in text. */
#ifndef RANKPIPE_DECIMAL_H
#define RANKPIPE_DECIMAL_H

/* Where a decimal number that starts at p ends; p itself where there is none. Words that strtod
 * would take (nan, inf, 0x1p3) are none. */
const char *decimal_end(const char *p);

/* Behind the digits at p. */
const char *decimal_digits(const char *p);

#endif
