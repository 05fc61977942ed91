/* say: a program's words for its user, on standard error. */
#ifndef RANKPIPE_SAY_H
#define RANKPIPE_SAY_H

/* "name: text", in one line and one write, whatever the name of a file in the text may hold:
 * control characters appear as \x1b. The text is no longer than a fault's. */
void say(const char *name, const char *text);

#endif
