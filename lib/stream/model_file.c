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
#include "io/sync.h"
#include "stream/model_history.h"
#include "stream/record_file.h"
#include "stream/writer.h"

enum { LINKS = 40, TARGET = 4096 };

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
    file->new_path = join(file->path, strlen(file->path), ".lock.new", fault);
    if (!file->lock || !file->new_path)
        return -1;
    /* A name that is too long is refused now, not when the first model is saved. */
    if (access(file->new_path, F_OK) < 0 && errno == ENAMETOOLONG)
        return fault_system(fault, "model %s: cannot write %s", path, file->new_path);
    return take_lock(file, fault);
}

void model_file_close(struct model_file *file)
{
    if (file->lock && file->lock_fd >= 0)
        lock_release(file->lock, file->lock_fd);
    free(file->path);
    free(file->lock);
    free(file->new_path);
    *file = (struct model_file){ .lock_fd = -1 };
}

static int write_model(int fd, const char *name, const struct model *model, struct fault *fault)
{
    struct writer writer;
    if (writer_open(&writer, fd, name, NULL, fault) < 0)
        return -1;
    int result = record_file_pays(&model->record)
                     ? record_file_write(fd, name, &model->record, fault)
                     : writer_record(&writer, &model->record, fault);
    if (result == 0)
        result = writer_end(&writer, 1, fault);
    writer_close(&writer);
    if (result == 0 && sync_file(fd) < 0)
        result = fault_system(fault, "cannot write %s", name);
    return result;
}

/* Creates new_path, at no moment readable by more users than the model is. Whatever is at that
 * path, left by a run that was killed, say, is removed first; a link is not followed. A descriptor
 * or a fault. */
static int open_new(const struct model_file *file, struct fault *fault)
{
    struct stat is = { .st_mode = 0666 };
    bool there = stat(file->path, &is) == 0;
    if (!there && errno != ENOENT)
        return fault_system(fault, "model %s", file->path);
    (void)unlink(file->new_path);
    int fd = watch_open(NULL, file->new_path, O_WRONLY | O_CREAT | O_EXCL, is.st_mode & 0777,
                        fault);
    if (fd < 0)
        return fault_system(fault, "cannot write %s", file->new_path);
    if (there)
        (void)fchmod(fd, is.st_mode & 07777); /* undoes umask; some file systems cannot */
    return fd;
}

int model_file_save(const struct model_file *file, const struct model *model, struct fault *fault)
{
    int fd = open_new(file, fault);
    if (fd < 0)
        return -1;
    int result = write_model(fd, file->new_path, model, fault);
    if (watch_close(fd) < 0 && result == 0)
        result = fault_system(fault, "cannot write %s", file->new_path);
    if (result == 0 && file->keep)
        result = model_history_add(file->path, file->new_path, model->rounds, fault);
    if (result == 0 && rename(file->new_path, file->path) < 0)
        result = fault_system(fault, "cannot rename %s to %s", file->new_path, file->path);
    if (result < 0)
        unlink(file->new_path);
    else if (file->keep)
        result = model_history_trim(file->path, model->rounds, file->keep, fault);
    if (result == 0 && sync_folder_of(file->path) < 0)
        result = fault_system(fault, "%s is replaced, but cannot sync its folder", file->path);
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
