/* say: a program's words for its user, on standard error. */
#ifndef RANKPIPE_SAY_H
#define RANKPIPE_SAY_H

#include "run/filter.h"

/* "name: text", in one line and one write, whatever the name of a file in the text may hold:
 * control characters appear as \x1b. The text is no longer than a fault's. */
void say(const char *name, const char *text);

/* The same by a program that goes on: the line that tells how far it is makes way. */
void warn(const struct host *host, const char *name, const char *text);

#endif
