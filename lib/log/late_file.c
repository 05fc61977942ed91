#include "log/late_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/sync.h"
#include "io/watch.h"

int late_file_open(struct late_file *late, const char *path, struct fault *fault)
{
    struct stat is;
    const char *target = path;
    *late = (struct late_file){ .path = path, .writer = { .pending = { .fd = -1 } } };
    bool plain = stat(path, &is) < 0 || S_ISREG(is.st_mode);
    if (plain) {
        size_t room = strlen(path) + sizeof ".new";
        late->new_path = malloc(room);
        if (!late->new_path)
            return fault_no_room(fault, room);
        snprintf(late->new_path, room, "%s.new", path);
        target = late->new_path;
    }
    int fd = watch_open(NULL, target, O_WRONLY | (plain ? O_CREAT | O_TRUNC : 0), 0666, fault);
    if (fd < 0)
        return fault_system(fault, "cannot write %s", target);
    return writer_open(&late->writer, fd, path, NULL, fault);
}

int late_file_put(struct late_file *late, const struct answer *answer, struct fault *fault)
{
    struct writer *out = &late->writer;
    int result = writer_text(out, fault, "%s", answer->key);
    if (result == 0 && answer->timed)
        result = writer_text(out, fault, "\ttime=%" PRIu64, answer->time);
    if (result == 0 && answer->places == 0)
        result = writer_text(out, fault, "\t-");
    for (size_t a = 0; result == 0 && a < answer->places; a++)
        result = writer_text(out, fault, "%c%.9g", a ? ' ' : '\t', (double)answer->seen[a]);
    late->answers++;
    return result < 0 ? -1 : writer_text(out, fault, "\n");
}

int late_file_finish(struct late_file *late, struct fault *fault)
{
    int fd = late->writer.pending.fd;
    if (writer_flush(&late->writer, fault) < 0)
        return -1;
    if (late->new_path && sync_file(fd) < 0)
        return fault_system(fault, "cannot write %s", late->new_path);
    late->writer.pending.fd = -1;
    if (watch_close(fd) < 0)
        return fault_system(fault, "cannot write %s", late->path);
    if (late->new_path && rename(late->new_path, late->path) < 0)
        return fault_system(fault, "cannot rename %s to %s", late->new_path, late->path);
    if (late->new_path && sync_folder_of(late->path) < 0)
        return fault_system(fault, "cannot sync the folder of %s", late->path);
    free(late->new_path);
    late->new_path = NULL;
    return 0;
}

void late_file_close(struct late_file *late)
{
    if (late->path && late->writer.pending.fd >= 0)
        close(late->writer.pending.fd);
    if (late->new_path)
        (void)unlink(late->new_path);
    free(late->new_path);
    late->new_path = NULL;
    if (late->path)
        writer_close(&late->writer);
}
