/* waiting: the rounds that were shown and have no answer yet, by their requests. The file `waiting`
 * of a generation has a line for each:
 *
 *     time TAB request TAB FOLDER/NAME.FIRST+BYTE
 *
 * The last field says where the record is: in the file of a log whose first round is FIRST, from
 * that byte on. */
#ifndef RANKPIPE_WAITING_H
#define RANKPIPE_WAITING_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/hash_table.h"

struct waiting_round {
    size_t request, stored; /* where they are in the text of `waiting` */
    uint64_t time;          /* of the round, in milliseconds since 1970 */
    bool gone;              /* it waits no more */
};

struct waiting { /* all zero at first */
    struct buffer text; /* requests and places, each ended by NUL */
    size_t bytes;
    struct buffer list; /* struct waiting_round [count], in the order in which they were added */
    size_t count, gone;
    struct hash_table table;
};

/* Reads the file in a folder: 1; 0 where there is none; or a fault. */
int waiting_read(struct waiting *waiting, const char *folder, struct fault *fault);

/* Adds a round: 1; 0 where one with its request waits; or a fault. About 100 bytes. */
int waiting_add(struct waiting *waiting, const char *request, const char *stored, uint64_t time,
                struct fault *fault);

/* The round of that request that waits, or NULL. Valid until the next waiting_add. */
struct waiting_round *waiting_find(const struct waiting *waiting, const char *request);

/* Ends the waiting of a round. */
void waiting_remove(struct waiting *waiting, struct waiting_round *round);

/* Its text, from request or stored; round i in the order in which they came. */
const char *waiting_text(const struct waiting *waiting, size_t at);
struct waiting_round *waiting_at(const struct waiting *waiting, size_t i);

/* Writes those that still wait. 0 or a fault. */
int waiting_write(const struct waiting *waiting, const char *folder, struct fault *fault);

void waiting_close(struct waiting *waiting);

#endif
