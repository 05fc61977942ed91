/* names: a list of names for a message, put together from a table: "split, fourier, products". */
#ifndef RANKPIPE_NAMES_H
#define RANKPIPE_NAMES_H

#include <stddef.h>

enum { NAMES_ROOM = 600 };

struct names { /* all zero at first: an empty list */
    char text[NAMES_ROOM];
    size_t bytes;
};

/* Appends a name, formatted as by printf, after ", " where it is not the first. A name that does
 * not fit is replaced by " ...", and so are all after it. */
void names_add(struct names *names, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
