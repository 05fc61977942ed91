/* numbers: a set of whole numbers, such as those of rounds. Runs of numbers take no memory. */
#ifndef RANKPIPE_NUMBERS_H
#define RANKPIPE_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

/* A tree of words of 64 bits in one hash table. A word that is full is replaced by one bit of the
 * word above it. So numbers that come in order take a few slots in all; in random order at most
 * half a byte a number while they come; and numbers far from each other 32 bytes each. */
struct numbers { /* all zero at first */
    struct numbers_word {
        uint64_t place; /* level and position of the word, plus 1; 0: an empty slot */
        uint64_t bits;
    } *slot;
    size_t slots, used;
};

/* Adds a number below 2^53: 1 where it is new, 0 where the set has it, or a fault. O(1) on
 * average. */
int numbers_enter(struct numbers *numbers, uint64_t number, struct fault *fault);

void numbers_close(struct numbers *numbers);

#endif
