/* name_table: a set of names, such as qids, to notice one that comes twice; and their numbers, from
 * 1 in the order in which they first come. */
#ifndef RANKPIPE_NAME_TABLE_H
#define RANKPIPE_NAME_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/hash_table.h"

struct name_table { /* all zero at first, except `numbered` */
    bool numbered;      /* names have numbers */
    uint64_t names;     /* how many there are */
    struct buffer text; /* the names, each ended by NUL, and after its number if it has one */
    size_t bytes;
    struct hash_table table; /* of where in `text` names begin, from 1 */
};

/* Enters a name of n bytes: 1 where it is new, 0 where it was there; or a fault (memory). It takes
 * at most 16 bytes and one and a half times its length, with a number 28. O(n) on average. */
int name_table_enter(struct name_table *names, const char *name, size_t n, struct fault *fault);

/* The same where names have numbers: *number is that of the name. A name of NULL is new each
 * time. */
int name_table_number(struct name_table *names, const char *name, size_t n, uint64_t *number,
                      struct fault *fault);

/* Is the name there, which has n bytes? */
bool name_table_has(const struct name_table *names, const char *name, size_t n);

/* The name after this one, of those that have numbers: they come by number. NULL: the first. */
const char *name_table_next(const struct name_table *names, const char *name);

/* Of n names, each ended by NUL: 1 where none is empty and no two are equal, else 0; or a fault
 * (memory). `table` is space that may be used again. O(bytes) on average. */
int name_table_differ(struct hash_table *table, const char *text, size_t n, struct fault *fault);

void name_table_close(struct name_table *names);

#endif
