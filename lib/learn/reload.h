/* reload: scoring by a model's file, and by each new one that is renamed over it. */
#ifndef RANKPIPE_RELOAD_H
#define RANKPIPE_RELOAD_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/fault.h"
#include "io/watch.h"
#include "learn/scoring.h"

struct reload {
    const char *path;
    const struct watch *watch;
    int fd;         /* of the file read last; kept open so that no new file gets its inode */
    struct stat is; /* that file, as it was before it was read                             */
    bool away;      /* it was reported that there is no file                               */
    bool written;   /* it was reported that the file was changed in place                  */
};

/* Scores by the model in the file from now on. path and watch stay the caller's. 0, or a fault;
 * reload_close comes next in either case. */
int reload_open(struct reload *reload, const char *path, const struct watch *watch,
                struct scoring *scoring, struct fault *fault);

/* If the path names another file than before, scores by that one from now on. 0; or -1 with the
 * reason in `why`, which must be FAULT_NONE before: then scoring is as it was. Each problem is
 * reported once. Costs one stat. */
int reload_look(struct reload *reload, struct scoring *scoring, struct fault *why);

void reload_close(struct reload *reload);

#endif
