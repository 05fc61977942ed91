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

/* Starts a file that will replace the one at `path`, which may still be read. 0 or a fault; to be
 * closed either way. */
int fresh_file_open(struct fresh_file *file, const char *path, struct fault *fault);

/* The same for FOLDER/NAME. */
int fresh_file_open_in(struct fresh_file *file, const char *folder, const char *name,
                       struct fault *fault);

/* Syncs the file and puts it in its place. 0 or a fault, after which the old file is there. */
int fresh_file_finish(struct fresh_file *file, struct fault *fault);

/* Frees memory, and removes a file that was not finished. */
void fresh_file_close(struct fresh_file *file);

#endif
