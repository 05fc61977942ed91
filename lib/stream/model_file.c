#include "stream/model_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/lock.h"
#include "stream/fresh_file.h"
#include "stream/model_history.h"
#include "stream/record_file.h"

enum { LINKS = 40, TARGET = 4096 };
#define NEW ".lock.new" /* after the path, that of a model that is not whole yet */

static char *join(const char *a, size_t n, const char *b, struct fault *fault)
{
    char *joined = malloc(n + strlen(b) + 1);
    if (!joined) {
        fault_no_room(fault, n + strlen(b) + 1);
        return NULL;
    }
    memcpy(joined, a, n);
    strcpy(joined + n, b);
    return joined;
}

/* Bytes of a path up to its last slash, including that. */
static size_t folder_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* The path of the file that symbolic links lead to, which need not exist: rename must name that
 * one. To be freed; or NULL and a fault. */
static char *follow_links(const char *path, struct fault *fault)
{
    char *at = join(path, strlen(path), "", fault);
    for (int followed = 0; at && followed < LINKS; followed++) {
        char target[TARGET];
        ssize_t n = readlink(at, target, sizeof target - 1);
        if (n < 0 && (errno == EINVAL || errno == ENOENT))
            return at;
        if (n < 0) {
            fault_system(fault, "model %s", path);
            free(at);
            return NULL;
        }
        target[n] = '\0';
        char *next = join(at, *target == '/' ? 0 : folder_bytes(at), target, fault);
        free(at);
        at = next;
    }
    free(at);
    fault_other(fault, "model %s: too many symbolic links", path);
    return NULL;
}

static int take_lock(struct model_file *file, struct fault *fault)
{
    switch (lock_take(file->lock, &file->lock_fd, fault)) {
    case LOCK_TAKEN:
        return 0;
    case LOCK_HELD:
        return fault_other(fault, "model %s: another update is learning into it (%s is locked)",
                           file->path, file->lock);
    case LOCK_NOT_CREATED:
        return fault_system(fault, "model %s: cannot create its lock file %s", file->path,
                            file->lock);
    default:
        return fault_system(fault, "model %s: cannot lock %s", file->path, file->lock);
    }
}

int model_file_open(struct model_file *file, const char *path, struct fault *fault)
{
    struct stat is;
    *file = (struct model_file){ .lock_fd = -1, .keep = file->keep };
    if (*path == '\0')
        return fault_usage(fault, "-m needs the name of a file");
    file->path = follow_links(path, fault);
    if (!file->path)
        return -1;
    if (stat(file->path, &is) == 0) {
        if (!S_ISREG(is.st_mode))
            return fault_other(fault, "model %s is %s, not a file", path,
                                 S_ISDIR(is.st_mode) ? "a directory" : "a device or a pipe");
        if (access(file->path, W_OK) < 0)
            return fault_system(fault, "model %s cannot be replaced", path);
    } else if (errno != ENOENT) {
        return fault_system(fault, "model %s", path);
    }
    file->lock = join(file->path, strlen(file->path), ".lock", fault);
    char *new_path = join(file->path, strlen(file->path), NEW, fault);
    int result = file->lock && new_path ? 0 : -1;
    /* A name that is too long is refused now, not when the first model is saved. */
    if (result == 0 && access(new_path, F_OK) < 0 && errno == ENAMETOOLONG)
        result = fault_system(fault, "model %s: cannot write %s", path, new_path);
    free(new_path);
    return result < 0 ? -1 : take_lock(file, fault);
}

void model_file_close(struct model_file *file)
{
    if (file->lock && file->lock_fd >= 0)
        lock_release(file->lock, file->lock_fd);
    free(file->path);
    free(file->lock);
    *file = (struct model_file){ .lock_fd = -1 };
}

static int write_model(struct writer *writer, const struct model *model, struct fault *fault)
{
    int result = record_file_pays(&model->record)
                     ? record_file_write(writer->pending.fd, writer->name, &model->record, fault)
                     : writer_record(writer, &model->record, fault);
    return result < 0 ? -1 : writer_end(writer, 1, fault);
}

int model_file_save(const struct model_file *file, const struct model *model, struct fault *fault)
{
    struct fresh_file new;
    int result = fresh_file_open_as(&new, file->path, NEW, fault);
    if (result == 0)
        result = write_model(&new.writer, model, fault);
    if (result == 0)
        result = fresh_file_sync(&new, fault);
    if (result == 0 && file->keep)
        result = model_history_add(file->path, new.new_path, model->rounds, fault);
    if (result == 0)
        result = fresh_file_finish(&new, fault);
    fresh_file_close(&new);
    if (result == 0 && file->keep)
        result = model_history_trim(file->path, model->rounds, file->keep, fault);
    return result;
}

/* Only its end record may follow a model. */
static int check_rest(struct reader *reader, struct fault *fault)
{
    struct record rest;
    int got = reader_next(reader, &rest, fault);
    if (got > 0)
        return fault_data(fault, "%s holds more than one model", reader->name);
    return got;
}

static int read_one(struct reader *reader, struct model *model, struct fault *fault)
{
    int got = reader_header(reader, &model->record, fault);
    if (got < 0)
        return -1;
    if (got == 0 || model->record.kind != RECORD_MODEL)
        return fault_data(fault, "%s holds %s, not a model", reader->name,
                          got ? "rounds" : "nothing");
    if (model_header(model, fault) < 0) {
        fault_place(fault, "%s: ", reader->name);
        return -1;
    }
    if (reader_payload(reader, &model->record, fault) < 0)
        return -1;
    size_t payload = reader->from - (size_t)model->record.bytes;
    if (check_rest(reader, fault) < 0)
        return -1;
    record_bind(&model->record, reader->bytes + payload, (size_t)model->record.bytes);
    if (model_read(model, fault) < 0) {
        fault_place(fault, "%s: ", reader->name);
        return -1;
    }
    return 1;
}

int model_file_read(int fd, const char *path, struct mapped *mapped, struct model *model,
                    struct fault *fault)
{
    int got = mapped_open(mapped, fd, path, NULL, fault);
    if (got == 0)
        got = read_one(&mapped->reader, model, fault);
    if (got < 0 && fault->kind == FAULT_CUT)
        fault->kind = FAULT_DATA;
    return got;
}

int model_file_load(const char *path, const struct watch *watch, struct mapped *mapped,
                    struct model *model, struct fault *fault)
{
    *mapped = (struct mapped){ .map = NULL };
    int fd = watch_open(watch, path, O_RDONLY, 0, fault);
    if (fd < 0)
        return errno == ENOENT ? 0 : fault_system(fault, "cannot open %s", path);
    int got = model_file_read(fd, path, mapped, model, fault);
    close(fd);
    return got;
}
