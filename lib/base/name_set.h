/* name_set: a set of names, such as qids, to notice one that comes twice. */
#ifndef RANKPIPE_NAME_SET_H
#define RANKPIPE_NAME_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/hash_table.h"

struct name_set { /* all zero at first */
    struct buffer text; /* the names, each ended by NUL */
    size_t bytes;
    struct hash_table table; /* by where in `text` names are, from 1 */
};

/* Adds a name. It takes at most 16 bytes and one and a half times its length. O(its length) on
 * average. */
enum entered name_set_enter(struct name_set *set, const char *name, struct fault *fault);

/* Does the set have this name? */
bool name_set_has(const struct name_set *set, const char *name);

void name_set_close(struct name_set *set);

#endif
