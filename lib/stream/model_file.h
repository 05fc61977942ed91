/* model_file: a model's file: read whole, and replaced whole or not at all. */
#ifndef RANKPIPE_MODEL_FILE_H
#define RANKPIPE_MODEL_FILE_H

#include "base/fault.h"
#include "io/wait.h"
#include "stream/model.h"
#include "stream/reader.h"

struct model_file {
    char *path;   /* with symbolic links followed               */
    char *lock;   /* its name and descriptor                    */
    int lock_fd;
    char *new_path; /* where a new model is written before it is it */
};

/* Takes hold of a model's file, there or not yet: follows links, sees that it is a file that can
 * be replaced, and locks it by path.lock: a second store on it is refused. 0 or a fault. */
int model_file_open(struct model_file *file, const char *path, struct fault *fault);

/* Lets go, and removes the lock. */
void model_file_close(struct model_file *file);

/* Replaces the file: written beside it, synced, renamed over it; its permissions are kept. At any
 * moment the file is the old model or the new one. 0 or a fault, which may be that it was replaced
 * but its folder not synced. */
int model_file_save(const struct model_file *file, const struct model *model, struct fault *fault);

/* Reads the model in a file, which must hold one and its end record; `watch` as for watch_open.
 * 1; 0 where there is no such file; or a fault. The model lies in `reader`, which the caller
 * closes. */
int model_file_load(const char *path, const struct watch *watch, struct reader *reader,
               struct model *model, struct fault *fault);

/* The same from a descriptor, which stays the caller's: 1 or a fault. */
int model_file_read(int fd, const char *path, struct reader *reader, struct model *model,
               struct fault *fault);

#endif
