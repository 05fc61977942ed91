/* batch: what one run of a learner in service reads of the files of answers, and at what time. The
 * file `batch` of a generation has a line for each file, in the order of paths, after the time:
 *
 *     time TAB milliseconds since 1970
 *     answers TAB from TAB until TAB path
 *
 * Only whole lines are read: `until` is after the last LF. A run that is repeated finds its batch,
 * and reads the same bytes. */
#ifndef RANKPIPE_BATCH_H
#define RANKPIPE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"

struct batch_file {
    char *path;
    uint64_t from, until;
    bool shrunk; /* it is shorter than what was read of it, and so nothing is read */
};

struct batch { /* all zero at first */
    uint64_t time; /* of the run, in milliseconds since 1970 */
    struct buffer list; /* struct batch_file [count], by path */
    size_t count;
};

/* Reads the batch of the generation in the folder `state`. If it has none yet, makes and stores it:
 * it begins where the batch of the generation STATE/before ends, and has every file below
 * `folders`, which ends with NULL. Files whose names begin with a dot and those that are links are
 * left alone. 0 or a fault; to be closed either way. */
int batch_open(struct batch *batch, const char *state, char *const *folders, struct fault *fault);

struct batch_file *batch_file(const struct batch *batch, size_t i);

void batch_close(struct batch *batch);

#endif
