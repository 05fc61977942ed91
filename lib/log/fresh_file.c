#include "log/fresh_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/sync.h"
#include "io/watch.h"

int fresh_file_open(struct fresh_file *file, const char *path, struct fault *fault)
{
    struct stat is;
    bool plain = stat(path, &is) < 0 || S_ISREG(is.st_mode);
    size_t room = strlen(path) + sizeof ".new";
    *file = (struct fresh_file){ .writer = { .pending = { .fd = -1 } } };
    file->path = malloc(room);
    file->new_path = file->path && plain ? malloc(room) : NULL;
    if (!file->path || (plain && !file->new_path))
        return fault_no_room(fault, room);
    strcpy(file->path, path);
    if (plain)
        snprintf(file->new_path, room, "%s.new", path);
    const char *target = plain ? file->new_path : path;
    int fd = watch_open(NULL, target, O_WRONLY | (plain ? O_CREAT | O_TRUNC : 0), 0666, fault);
    if (fd < 0)
        return fault_system(fault, "cannot write %s", target);
    return writer_open(&file->writer, fd, file->path, NULL, fault);
}

int fresh_file_open_in(struct fresh_file *file, const char *folder, const char *name,
                       struct fault *fault)
{
    char path[4096];
    *file = (struct fresh_file){ .writer = { .pending = { .fd = -1 } } };
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
        return fault_other(fault, "the name of the folder %.40s... is too long", folder);
    return fresh_file_open(file, path, fault);
}

int fresh_file_finish(struct fresh_file *file, struct fault *fault)
{
    int fd = file->writer.pending.fd;
    if (writer_flush(&file->writer, fault) < 0)
        return -1;
    if (file->new_path && sync_file(fd) < 0)
        return fault_system(fault, "cannot write %s", file->new_path);
    file->writer.pending.fd = -1;
    if (watch_close(fd) < 0)
        return fault_system(fault, "cannot write %s", file->path);
    if (file->new_path && rename(file->new_path, file->path) < 0)
        return fault_system(fault, "cannot rename %s to %s", file->new_path, file->path);
    if (file->new_path && sync_folder_of(file->path) < 0)
        return fault_system(fault, "cannot sync the folder of %s", file->path);
    free(file->new_path);
    file->new_path = NULL;
    return 0;
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
