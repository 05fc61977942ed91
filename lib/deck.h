/* deck: the rounds of stored streams, each to be had by its number. */
#ifndef RANKPIPE_DECK_H
#define RANKPIPE_DECK_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"
#include "record.h"
#include "space.h"
#include "stream.h"

struct deck { /* all zero at first */
    struct space stored, cards;
    size_t streams, rounds;
};

/* Adds the rounds of a file ("-" is standard input), which is read to its end and checked. A
 * regular file is mapped, anything else read into memory. At most 2^32 - 1 rounds, and no model.
 * 0 or a fault. */
int deck_add(struct deck *deck, const char *file, struct watch *watch, struct fault *fault);

/* Round i, from 0, bound to a payload that is the deck's, as its header is. */
void deck_round(const struct deck *deck, size_t i, struct record *record);

void deck_close(struct deck *deck);

#endif
