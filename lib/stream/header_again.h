/* header_again: header lines that say what the one before said, with other values and counts. Most
 * records of a stream have such, and a line whose names and types are known to be right and to be
 * different takes a seventh of header_parse's time. */
#ifndef RANKPIPE_HEADER_AGAIN_H
#define RANKPIPE_HEADER_AGAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/record.h"

/* Longer lines, and such with more keys or columns, are not remembered. */
enum { HEADER_AGAIN_LINE = 1024, HEADER_AGAIN_WORDS = 32 };

/* One word of the line, up to its value or count: " docs=" or "score:f8[". */
struct header_word {
    unsigned short at, bytes;
    unsigned char known; /* as of struct key or struct column */
    enum column_type type;
};

struct header_again { /* all zero at first: nothing is remembered */
    enum record_kind kind;
    bool crc;
    size_t keys, columns, before; /* bytes before crc= or the first key */
    struct header_word key[HEADER_AGAIN_WORDS], column[HEADER_AGAIN_WORDS];
    char line[HEADER_AGAIN_LINE];
};

/* Remembers the line that header_parse made the record of, which has not changed, and what numbers
 * its names are known by. A line that cannot be remembered is forgotten. */
void header_remember(struct header_again *last, const struct record *record, const char *line);

/* Makes *record that of a line of n bytes, without its LF, as header_parse does, if the line is
 * like the last one. False if it is not, or may be wrong: then header_parse must be called. */
bool header_again(const struct header_again *last, struct record *record, const char *line,
                  size_t n);

#endif
