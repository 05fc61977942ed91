/* say: what a program says of itself: messages on standard error, its usage line, and -h. */
#ifndef RANKPIPE_SAY_H
#define RANKPIPE_SAY_H

#include <stdio.h>

#include "run/filter.h"

/* Prints "name: text" as one line in one write. Control characters, which a file name in the text
 * may hold, are printed as \x1b. The text is no longer than a fault's. */
void say(const char *name, const char *text);

/* A program prints the first so many warnings of one kind, and their number at its end. */
enum { WARNINGS = 10 };

/* The same in a program that goes on, formatted as by printf: erases its line of progress first. */
void warn(const struct host *host, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The usage line, in lines of at most 80 columns. */
void help_usage(FILE *to, const struct filter *program);

/* The usage line, one line for each option and operand, and how to open the page. */
void help_print(FILE *to, const struct filter *program);

/* One row of those lines: the letter, if there is one, and the value's name in `room` columns; the
 * text; the words that the value may be. */
void help_row(FILE *to, const struct option *row, size_t room);

#endif
