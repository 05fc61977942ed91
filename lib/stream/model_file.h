/* model_file: the file of a model, read whole, and replaced whole or not at all. */
#ifndef RANKPIPE_MODEL_FILE_H
#define RANKPIPE_MODEL_FILE_H

#include <stdint.h>

#include "base/fault.h"
#include "io/watch.h"
#include "stream/model.h"
#include "stream/reader.h"

struct model_file {
    char *path;     /* of the model, with symbolic links followed            */
    char *lock;     /* path of the lock file                                 */
    int lock_fd;
    uint64_t keep;  /* number of models to keep as path.ROUND; 0: none; set by the caller */
};

/* Opens a model's file for saving, whether it exists or not: follows links, checks that it is a
 * regular file that can be replaced, and locks it by path.lock, so that a second model_file_open of
 * it fails. `file` is all zero, but `keep`. 0 or a fault; to be closed either way. */
int model_file_open(struct model_file *file, const char *path, struct fault *fault);

/* Removes the lock and frees memory. */
void model_file_close(struct model_file *file);

/* Replaces the file, as fresh_file does: it has the same permissions as before, and at any moment
 * holds the old model or the new one. With `keep` the new
 * model is also there as path.ROUND, a hard link, and so are the last ones before it. 0; or a
 * fault, after which the old model is there, unless the fault says that only the folder was not
 * synced, or that old models were not removed. */
int model_file_save(const struct model_file *file, const struct model *model, struct fault *fault);

/* Reads the model in a file, which must hold one model and its end record; `watch` as for
 * watch_open. 1; 0 where there is no such file; or a fault. The model borrows from `mapped`, which
 * the caller closes in any case. */
int model_file_load(const char *path, const struct watch *watch, struct mapped *mapped,
                    struct model *model, struct fault *fault);

/* The same as model_file_load from a descriptor, which stays open: 1 or a fault. */
int model_file_read(int fd, const char *path, struct mapped *mapped, struct model *model,
                    struct fault *fault);

#endif
