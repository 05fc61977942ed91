/* model_file: the file of a model, read whole, and replaced whole or not at all. */
#ifndef RANKPIPE_MODEL_FILE_H
#define RANKPIPE_MODEL_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "io/watch.h"
#include "model/model.h"
#include "stream/reader.h"

struct model_file {
    char *path;     /* of the model, with symbolic links followed            */
    char *lock;     /* path of the lock file                                 */
    int lock_fd;
    uint64_t keep;  /* number of models to keep as path.ROUND; 0: none; set by the caller */
    bool patches;   /* large models are saved as patches; the same                        */
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

/* With `patches`, what it writes is what changed since a whole model (model_patch.h), where that
 * one has at least PATCH_WHOLE bytes, and the patch at most a PATCH_PART of them; else all of the
 * model. The whole one is that in the file, or the one that the file is a patch of. It is a file
 * beside it, whose name patch_name tells: a hard link of what was in the file, which stays there
 * when it is replaced. */
enum { PATCH_WHOLE = 4 << 20, PATCH_PART = 32 };

/* Makes a patch that was read from the file at `path`, whole, the model that it is of: reads the
 * file beside it. Columns are in `payload` then. 0 or a fault. */
int model_file_patched(const char *path, struct record *record, struct buffer *payload,
                       struct fault *fault);

/* Reads the model in a file, which must hold one model, or a patch, and its end record; `watch` as
 * for watch_open. 1; 0 where there is no such file; or a fault. The model borrows from `mapped`,
 * which the caller closes in any case. */
int model_file_load(const char *path, const struct watch *watch, struct mapped *mapped,
                    struct model *model, struct fault *fault);

/* The same as model_file_load from a descriptor, which stays open: 1 or a fault. */
int model_file_read(int fd, const char *path, struct mapped *mapped, struct model *model,
                    struct fault *fault);

#endif
