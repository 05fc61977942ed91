/* help: what a program prints about itself: its usage line, and -h. */
#ifndef RANKPIPE_HELP_H
#define RANKPIPE_HELP_H

#include <stdio.h>

#include "run/filter.h"

/* The usage line, in lines of at most 80 columns. */
void help_usage(FILE *to, const struct filter *program);

/* The usage line, one line for each option and operand, and how to open the page. */
void help_print(FILE *to, const struct filter *program);

/* One row of those lines: the letter, if there is one, and the value's name in `room` columns; the
 * text; the words that the value may be. */
void help_row(FILE *to, const struct option *row, size_t room);

#endif
