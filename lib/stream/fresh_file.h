/* fresh_file: a file that is written whole before it takes the place of the one of its name. */
#ifndef RANKPIPE_FRESH_FILE_H
#define RANKPIPE_FRESH_FILE_H

#include "base/fault.h"
#include "stream/writer.h"

struct fresh_file {
    char *path;
    char *new_path; /* written first, then renamed; NULL: path is a device or a FIFO */
    struct writer writer;
};

/* Starts a file that will replace the one at `path`, which may still be read; a device or a FIFO is
 * written itself. It has the permissions of the old file, or 0666 less umask, and is never readable
 * by more users than that. What lies at path.new, left by a run that was killed, say, is removed; a
 * link there is not followed. 0 or a fault; to be closed either way. */
int fresh_file_open(struct fresh_file *file, const char *path, struct fault *fault);

/* The same, where the new file is called `path` and `suffix`, and replaces whatever is there; with
 * suffix NULL the file itself is written. */
int fresh_file_open_as(struct fresh_file *file, const char *path, const char *suffix,
                       struct fault *fault);

/* Syncs the new file, so that it can be linked to another name before it is finished. 0 or a fault;
 * nothing more can be written. */
int fresh_file_sync(struct fresh_file *file, struct fault *fault);

/* Puts the file in its place, and syncs it and its folder. 0; or a fault, after which the old file
 * is there, unless the fault says that only the folder was not synced. */
int fresh_file_finish(struct fresh_file *file, struct fault *fault);

/* The same without syncing anything: for what is soon replaced again. */
int fresh_file_finish_unsynced(struct fresh_file *file, struct fault *fault);

/* Frees memory, and removes a file that was not finished. */
void fresh_file_close(struct fresh_file *file);

#endif
