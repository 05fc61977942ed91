/* say: prints a program's messages on standard error. */
#ifndef RANKPIPE_SAY_H
#define RANKPIPE_SAY_H

#include "run/filter.h"

/* Prints "name: text" as one line in one write. Control characters, which a file name in the text
 * may hold, are printed as \x1b. The text is no longer than a fault's. */
void say(const char *name, const char *text);

/* A program prints the first so many warnings of one kind, and their number at its end. */
enum { WARNINGS = 10 };

/* The same in a program that goes on, formatted as by printf: erases its line of progress first. */
void warn(const struct host *host, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
