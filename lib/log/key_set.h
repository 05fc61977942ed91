/* key_set: the keys of rounds and answers so far, to notice one that comes twice. */
#ifndef RANKPIPE_KEY_SET_H
#define RANKPIPE_KEY_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/number_set.h"
#include "base/name_table.h"

struct key_set { /* all zero at first, but the first */
    bool names;      /* keys are names, such as qids; else the numbers of rounds, t */
    struct number_set numbers;
    struct name_table table;
};

/* Adds a key: 1 where it is new, 0 where it was there; or a fault (memory). A number must be one.
 * Memory is that of a name_table or a number_set. */
int key_set_enter(struct key_set *keys, const char *key, struct fault *fault);

/* Is that a key: any name, or the number of a round? */
bool key_set_valid(const struct key_set *keys, const char *key);

void key_set_close(struct key_set *keys);

#endif
