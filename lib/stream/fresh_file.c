#include "stream/fresh_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/sync.h"
#include "io/watch.h"

/* Creates the new file with the permissions of the old one. A descriptor or -1 and errno. */
static int create(const struct fresh_file *file, struct fault *fault)
{
    struct stat is = { .st_mode = 0666 };
    bool there = stat(file->path, &is) == 0;
    if (!there && errno != ENOENT) return -1;
    (void)unlink(file->new_path);
    int fd = watch_open(NULL, file->new_path, O_WRONLY | O_CREAT | O_EXCL, is.st_mode & 0777,
                        fault);
    if (fd >= 0 && there)
        (void)fchmod(fd, is.st_mode & 07777); /* undoes umask; some file systems cannot */
    return fd;
}

int fresh_file_open_as(struct fresh_file *file, const char *path, const char *suffix,
                       struct fault *fault)
{
    size_t room = strlen(path) + strlen(suffix ? suffix : "") + 1;
    *file = (struct fresh_file){ .writer = { .pending = { .fd = -1 } } };
    file->path = strdup(path);
    file->new_path = file->path && suffix ? malloc(room) : NULL;
    if (!file->path || (suffix && !file->new_path))
        return fault_no_room(fault, room);
    if (suffix)
        snprintf(file->new_path, room, "%s%s", path, suffix);
    const char *target = suffix ? file->new_path : file->path;
    int fd = suffix ? create(file, fault) : watch_open(NULL, target, O_WRONLY, 0, fault);
    if (fd < 0)
        return fault_system(fault, "cannot write %s", target);
    return writer_open(&file->writer, fd, target, NULL, fault);
}

/* Writes what is left, with `sync` to the disk, and closes the new file. */
static int end(struct fresh_file *file, bool sync, struct fault *fault)
{
    int fd = file->writer.pending.fd;
    if (fd < 0)
        return 0;
    if (writer_flush(&file->writer, fault) < 0) return -1;
    if (file->new_path && sync && sync_file(fd) < 0)
        return fault_system(fault, "cannot write %s", file->writer.name);
    file->writer.pending.fd = -1;
    return watch_close(fd) < 0 ? fault_system(fault, "cannot write %s", file->writer.name) : 0;
}

int fresh_file_sync(struct fresh_file *file, struct fault *fault)
{
    return end(file, true, fault);
}

/* Ends the file and renames it. */
static int replace(struct fresh_file *file, bool sync, struct fault *fault)
{
    if (end(file, sync, fault) < 0) return -1;
    if (!file->new_path)
        return 0;
    if (rename(file->new_path, file->path) < 0)
        return fault_system(fault, "cannot rename %s to %s", file->new_path, file->path);
    free(file->new_path);
    file->new_path = NULL;
    if (sync && sync_folder_of(file->path) < 0)
        return fault_system(fault, "%s is replaced, but cannot sync its folder", file->path);
    return 0;
}

int fresh_file_finish(struct fresh_file *file, struct fault *fault)
{
    return replace(file, true, fault);
}

int fresh_file_finish_unsynced(struct fresh_file *file, struct fault *fault)
{
    return replace(file, false, fault);
}

void fresh_file_close(struct fresh_file *file)
{
    if (file->path && file->writer.pending.fd >= 0)
        close(file->writer.pending.fd);
    if (file->new_path)
        (void)unlink(file->new_path);
    free(file->new_path);
    file->new_path = NULL;
    if (file->path)
        writer_close(&file->writer);
    free(file->path);
    file->path = NULL;
}
