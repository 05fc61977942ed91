/* names: a list of names for a message, put together from a table: "scale, rank, log";
 * and the one of them that a mistyped word may have been. */
#ifndef RANKPIPE_NAMES_H
#define RANKPIPE_NAMES_H

#include <stddef.h>

enum { NAMES_ROOM = 600 };

struct names { /* all zero at first: an empty list */
    char text[NAMES_ROOM];
    size_t bytes;
    const char *nearest; /* of the names offered, the nearest to the word; NULL: none is near */
};

/* Appends a name, formatted as by printf, after ", " where it is not the first. A name that does
 * not fit is replaced by " ...", and so are all after it. */
void names_add(struct names *names, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends a name, and keeps it as the nearest if it is nearer to the word than those before it. The
 * distance is the number of characters to add, omit, replace, or exchange with the next one. More
 * than a third of the word's is not near. */
void names_offer(struct names *names, const char *word, const char *name);

/* What to do about a word that is none of the names offered: "did you mean scale?", or "choose from
 * scale, rank, log". Returns names->text. */
const char *names_advice(struct names *names);

#endif
