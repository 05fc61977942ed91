#include "log/batch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system.h"
#include "io/watch.h"
#include "log/state_file.h"

static const char file_name[] = "batch";
enum { PATH = 900 }; /* most bytes of a path */

struct batch_file *batch_file(const struct batch *batch, size_t i)
{
    return (struct batch_file *)batch->list.at + i;
}

static int add(struct batch *batch, const char *path, uint64_t from, uint64_t until,
               struct fault *fault)
{
    struct batch_file *list = buffer_for(&batch->list, batch->count + 1, sizeof *list, fault);
    char *copy = list ? malloc(strlen(path) + 1) : NULL;
    if (!copy)
        return list ? fault_no_room(fault, strlen(path) + 1) : -1;
    strcpy(copy, path);
    list[batch->count++] = (struct batch_file){ copy, from, until, false };
    return 0;
}

/* ---- the file ---- */

static int read_line(void *self, const char *const *text, size_t fields, struct fault *fault)
{
    struct batch *batch = self;
    uint64_t from, until;
    if (fields == 2 && strcmp(text[0], "time") == 0)
        return state_number(text[1], &batch->time, fault);
    if (fields != 4 || strcmp(text[0], "answers") != 0)
        return fault_data(fault, "not a part of a batch");
    if (state_number(text[1], &from, fault) < 0 || state_number(text[2], &until, fault) < 0)
        return -1;
    if (from > until)
        return fault_data(fault, "it ends before it begins");
    return add(batch, text[3], from, until, fault);
}

static int store(const struct batch *batch, const char *state, struct fault *fault)
{
    struct fresh_file file;
    int result = fresh_file_open_in(&file, state, file_name, fault);
    if (result == 0)
        result = writer_text(&file.writer, fault, "time\t%" PRIu64 "\n", batch->time);
    for (size_t i = 0; result == 0 && i < batch->count; i++) {
        const struct batch_file *at = batch_file(batch, i);
        result = writer_text(&file.writer, fault, "answers\t%" PRIu64 "\t%" PRIu64 "\t%s\n",
                             at->from, at->until, at->path);
    }
    if (result == 0)
        result = state_file_finish(&file, batch->count + 1, fault);
    fresh_file_close(&file);
    return result;
}

/* ---- a new batch ---- */

/* Can the path stand in a line of the file? */
static bool is_plain(const char *path)
{
    for (const char *p = path; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            return false;
    return strlen(path) <= PATH;
}

static int look_into(struct batch *batch, const char *folder, struct fault *fault)
{
    char path[PATH + 300];
    struct stat is;
    struct dirent *entry;
    int result = 0;
    DIR *open = opendir(folder);
    if (!open)
        return errno == ENOENT ? 0 : fault_system(fault, "cannot open folder %s", folder);
    while (result == 0 && (errno = 0, entry = readdir(open))) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (*entry->d_name == '.' || !is_plain(path) || lstat(path, &is) < 0)
            continue;
        if (S_ISDIR(is.st_mode))
            result = look_into(batch, path, fault);
        else if (S_ISREG(is.st_mode))
            result = add(batch, path, 0, 0, fault);
    }
    if (result == 0 && errno)
        result = fault_system(fault, "cannot read folder %s", folder);
    closedir(open);
    return result;
}

static int by_path(const void *a, const void *b)
{
    const struct batch_file *one = a, *other = b;
    return strcmp(one->path, other->path);
}

/* Sets *until to the end of the last whole line of a file from `from` on. 0 or a fault. */
static int find_end(const char *path, uint64_t from, uint64_t *until, struct fault *fault)
{
    char text[4096];
    int fd = watch_open(NULL, path, O_RDONLY, 0, fault);
    off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
    ssize_t n = size < 0 ? -1 : 0;
    for (*until = n < 0 ? from : (uint64_t)size; n >= 0 && *until > from; *until -= (uint64_t)n) {
        uint64_t room = *until - from < sizeof text ? *until - from : sizeof text;
        n = pread(fd, text, (size_t)room, (off_t)(*until - room));
        size_t whole = n > 0 ? (size_t)n : 0;
        while (whole > 0 && text[whole - 1] != '\n')
            whole--;
        if (whole > 0) {
            *until -= (size_t)n - whole;
            break;
        }
        if (n == 0) /* it has become shorter just now */
            *until = from;
    }
    if (n < 0)
        (void)fault_system(fault, "cannot read %s", path);
    if (fd >= 0)
        close(fd);
    return n < 0 ? -1 : 0;
}

/* Where the file is read from, and until where. 0 or a fault. */
static int measure(struct batch_file *file, const struct batch *before, struct fault *fault)
{
    const struct batch_file *was = before->count
        ? bsearch(file, before->list.at, before->count, sizeof *file, by_path) : NULL;
    file->from = was ? was->until : 0;
    if (find_end(file->path, file->from, &file->until, fault) < 0)
        return -1;
    file->shrunk = file->until < file->from;
    if (file->shrunk)
        file->until = file->from;
    return 0;
}

static int make(struct batch *batch, const struct batch *before, char *const *folders,
                struct fault *fault)
{
    batch->time = moment_stamp();
    for (char *const *folder = folders; *folder; folder++)
        if (look_into(batch, *folder, fault) < 0)
            return -1;
    if (batch->count)
        qsort(batch->list.at, batch->count, sizeof(struct batch_file), by_path);
    for (size_t i = 0; i < batch->count; i++)
        if (measure(batch_file(batch, i), before, fault) < 0)
            return -1;
    return 0;
}

int batch_open(struct batch *batch, const char *state, char *const *folders, struct fault *fault)
{
    char path[4096];
    struct batch before = { .count = 0 };
    if ((size_t)snprintf(path, sizeof path, "%s/before", state) >= sizeof path)
        return fault_other(fault, "the name of the folder %.40s... is too long", state);
    int got = state_file_read(state, file_name, read_line, batch, fault);
    if (got == 0)
        got = state_file_read(path, file_name, read_line, &before, fault) < 0 ||
              make(batch, &before, folders, fault) < 0 || store(batch, state, fault) < 0 ? -1 : 0;
    batch_close(&before);
    return got < 0 ? -1 : 0;
}

void batch_close(struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        free(batch_file(batch, i)->path);
    buffer_free(&batch->list);
    batch->count = 0;
}
