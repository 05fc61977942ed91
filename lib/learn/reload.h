/* reload: scoring by a model's file, and by the next one once it is renamed into its place. */
#ifndef RANKPIPE_RELOAD_H
#define RANKPIPE_RELOAD_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/fault.h"
#include "io/wait.h"
#include "learn/scoring.h"

struct reload {
    const char *path;
    const struct watch *watch;
    int fd;         /* of the file looked at last, held so that no new one has its number */
    struct stat is; /* that file, as it was before it was read                            */
    bool away;      /* it has been told that there is no file to be had                   */
    bool written;   /* it has been told that the file was changed where it is             */
};

/* Scores by the model in the file from now on. path and watch stay the caller's. 0, or a fault;
 * reload_close comes next in either case. */
int reload_open(struct reload *reload, const char *path, const struct watch *watch,
                struct scoring *scoring, struct fault *fault);

/* Does the path name another file than before? Then `scoring` is by that one. 0; or -1 with `why`,
 * which must be FAULT_NONE, where it cannot be: then scoring is as it was. Each trouble is told
 * once. It costs a stat. */
int reload_look(struct reload *reload, struct scoring *scoring, struct fault *why);

void reload_close(struct reload *reload);

#endif
