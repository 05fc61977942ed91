/* late_file: the file of the answers that found no round, replaced whole at the end. */
#ifndef RANKPIPE_LATE_FILE_H
#define RANKPIPE_LATE_FILE_H

#include <stdint.h>

#include "base/fault.h"
#include "stream/writer.h"
#include "log/feedback_log.h"

struct late_file {
    const char *path; /* the caller's */
    char *new_path;   /* written first, then renamed; NULL: path is a device or a FIFO */
    struct writer writer;
    uint64_t answers; /* written so far */
};

/* Starts a file that will replace the one at `path`, which may still be read. 0 or a fault; to be
 * closed either way. */
int late_file_open(struct late_file *late, const char *path, struct fault *fault);

/* Adds an answer as a line that a feedback_log reads. 0 or a fault. */
int late_file_put(struct late_file *late, const struct answer *answer, struct fault *fault);

/* Syncs the file and puts it in its place. 0 or a fault, after which the old file is there. */
int late_file_finish(struct late_file *late, struct fault *fault);

/* Frees memory, and removes a file that was not finished. */
void late_file_close(struct late_file *late);

#endif
