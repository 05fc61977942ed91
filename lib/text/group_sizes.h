/* group_sizes: reads how many documents each query has from a file of its own, one whole number a
 * line: LightGBM's .query and XGBoost's .group. */
#ifndef RANKPIPE_GROUP_SIZES_H
#define RANKPIPE_GROUP_SIZES_H

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "io/lines.h"
#include "io/watch.h"

struct group_sizes { /* must not be moved while it is open */
    struct lines lines;
    char *file[2];
    uint64_t queries;   /* so far                                         */
    uint64_t documents; /* of all these queries                           */
    size_t due;         /* of the current query; 0: there are no more     */
};

/* Reads `file`, waiting as the watch says. Both stay the caller's. */
void group_sizes_open(struct group_sizes *sizes, const char *file, struct watch *watch);

/* Goes on to the next query: 0, or a fault with file, line and the text at fault. */
int group_sizes_next(struct group_sizes *sizes, struct fault *fault);

/* Returns a fault: the text ended after `docs` documents of the current query, fewer than due. */
int group_sizes_short(const struct group_sizes *sizes, size_t docs, struct fault *fault);

void group_sizes_close(struct group_sizes *sizes);

#endif
