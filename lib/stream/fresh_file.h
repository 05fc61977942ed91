/* fresh_file: a file that is written whole before it takes the place of the one of its name. */
#ifndef RANKPIPE_FRESH_FILE_H
#define RANKPIPE_FRESH_FILE_H

#include "base/fault.h"
#include "stream/writer.h"

struct fresh_file {
    char *path;
    char *new_path; /* written first, then renamed; NULL: path is written itself */
    struct writer writer;
};

/* Starts a file that will replace the one at `path`, which can be read until then. The new file is
 * called `path` and `suffix`. If suffix is NULL, the file at `path` is written itself.
 * - The new file has the permissions of the old one, or 0666 less umask. It never has more.
 * - What lies at the new name, as after a kill, is removed. A link there is not followed.
 * Returns 0 or a fault. fresh_file_close comes next in either case. */
int fresh_file_open_as(struct fresh_file *file, const char *path, const char *suffix,
                       struct fault *fault);

/* Syncs the new file, so that it can be linked to another name before it is finished. Nothing more
 * can be written after that. Returns 0 or a fault. */
int fresh_file_sync(struct fresh_file *file, struct fault *fault);

/* Renames the new file over the old one, and syncs it and its folder. Returns 0 or a fault. After a
 * fault the old file is still there, unless the fault says that only the folder was not synced. */
int fresh_file_finish(struct fresh_file *file, struct fault *fault);

/* The same without syncing anything: for what is soon replaced again. */
int fresh_file_finish_unsynced(struct fresh_file *file, struct fault *fault);

/* Frees memory, and removes a file that was not finished. */
void fresh_file_close(struct fresh_file *file);

#endif
