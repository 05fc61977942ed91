/* round_keys: the keys of a round, read, checked by the rows of format.h, and set. */
#ifndef RANKPIPE_ROUND_KEYS_H
#define RANKPIPE_ROUND_KEYS_H

#include <stdint.h>

#include "base/fault.h"
#include "stream/format.h"

/* Reads all keys of round->record into the round, and which there are into *has; a field whose key
 * is missing becomes 0, false or NULL. 0; or a fault for an unknown, misplaced or missing key, or a
 * wrong value. */
int round_keys_read(struct round *round, uint64_t *has, struct fault *fault);

/* Sets the fields of all keys to 0, false or NULL. The record stays as it is. */
void round_keys_clear(struct round *round);

/* Sets a key in the round and, at its place in the order of keys, in the record. The value is not
 * checked: the caller keeps it in the key's range. 0, or a fault where the header line is full. */
int round_set(struct round *round, enum round_key key, uint64_t value, struct fault *fault);
int round_set_text(struct round *round, enum round_key key, const char *text, struct fault *fault);
int round_set_gamma(struct round *round, double gamma, struct fault *fault);

/* Removes the keys that say how the order was drawn, from the round and from its record. */
void round_keys_forget_choice(struct round *round);

/* Removes a key, which is not a required one, from the round and from its record. */
void round_drop_key(struct round *round, enum round_key key);

#endif
