/* group_sizes: how many documents each query has, from a file beside the text: LightGBM's .query
 * and XGBoost's .group, a whole number a line. */
#ifndef RANKPIPE_GROUP_SIZES_H
#define RANKPIPE_GROUP_SIZES_H

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "io/lines.h"
#include "io/wait.h"

struct group_sizes { /* stays where it was opened */
    struct lines lines;
    char *file[2];
    uint64_t queries;   /* so far                                            */
    uint64_t documents; /* of them all                                       */
    size_t due;         /* of the query at hand; 0: there is no query more   */
};

/* Reads `file`, which stays the caller's, as `watch` does. */
void group_sizes_open(struct group_sizes *sizes, const char *file, struct watch *watch);

/* Makes the next query the one at hand: 0, or a fault that tells file, line and the text at
 * fault. */
int group_sizes_next(struct group_sizes *sizes, struct fault *fault);

/* A fault: the text ended when the query at hand had `docs` documents, fewer than are due. */
int group_sizes_short(const struct group_sizes *sizes, size_t docs, struct fault *fault);

void group_sizes_close(struct group_sizes *sizes);

#endif
