/* number_set: a set of whole numbers, such as those of rounds. Runs of numbers take next to no
 * memory. */
#ifndef RANKPIPE_NUMBER_SET_H
#define RANKPIPE_NUMBER_SET_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/hash_table.h"

/* A tree of words of 64 bits, found by their place. A word that is full is replaced by one bit of
 * the word above it. So numbers that come in order take 40 bytes for each 262,144; in random order
 * less than a byte a number while they come; and numbers far from each other 40 bytes each. */
struct number_set { /* all zero at first */
    struct buffer words; /* struct number_word[used] */
    size_t used, spare;  /* spare: a removed word, from 1, whose bits are the next one; or 0 */
    struct hash_table table;  /* by the index of words, from 1 */
};

/* Adds a number below 2^53: 1 where it is new, 0 where it was there; or a fault (memory). O(1) on
 * average. */
int number_set_enter(struct number_set *set, uint64_t number, struct fault *fault);

void number_set_close(struct number_set *set);

#endif
