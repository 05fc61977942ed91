#include "log/spool_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/sync.h"
#include "io/watch.h"
#include "stream/reader.h"
#include "stream/writer.h"

enum { DIGITS = 16 };

/* ---- names ---- */

bool spool_name_valid(const char *name)
{
    size_t n = strlen(name);
    return n > 0 && n <= SPOOL_NAME && *name != '.' && !strchr(name, '/');
}

int spool_path(const char *folder, const struct spool_file *file, char path[SPOOL_PATH],
               struct fault *fault)
{
    int n = file->open ? snprintf(path, SPOOL_PATH, "%s/%s.%016" PRIu64 ".open", folder,
                                  file->name, file->first)
                       : snprintf(path, SPOOL_PATH, "%s/%s.%016" PRIu64 "-%016" PRIu64 ".bin",
                                  folder, file->name, file->first, file->last);
    if (n < 0 || n >= SPOOL_PATH)
        return fault_other(fault, "the name of the folder %.40s... is too long", folder);
    return 0;
}

/* Reads the 16 digits at p as a number. */
static bool read_digits(const char *p, uint64_t *value)
{
    *value = 0;
    for (int i = 0; i < DIGITS; i++) {
        if (p[i] < '0' || p[i] > '9')
            return false;
        *value = *value * 10 + (uint64_t)(p[i] - '0');
    }
    return true;
}

/* Takes the name of a file apart. False where it is none of a spool's. */
static bool read_name(const char *text, struct spool_file *file)
{
    static const char finished[] = ".bin", open[] = ".open";
    const size_t n = strlen(text);
    file->open = n >= sizeof open && strcmp(text + n + 1 - sizeof open, open) == 0;
    const size_t digits = file->open ? DIGITS : 2 * DIGITS + 1;
    const size_t end = file->open ? sizeof open - 1 : sizeof finished - 1;
    if (n < 2 + digits + end || (!file->open && strcmp(text + n - end, finished) != 0))
        return false;
    const size_t name = n - end - digits - 1;
    const char *at = text + name + 1;
    file->last = 0;
    if (name > SPOOL_NAME || *text == '.' || at[-1] != '.' || !read_digits(at, &file->first) ||
        (!file->open && (at[DIGITS] != '-' || !read_digits(at + DIGITS + 1, &file->last))))
        return false;
    memcpy(file->name, text, name);
    file->name[name] = '\0';
    return true;
}

/* ---- looking through a folder ---- */

/* The next file of the spool in an open folder. False at the end, where errno is 0, or if the
 * folder cannot be read. */
static bool next_file(DIR *open, struct spool_file *file)
{
    struct dirent *entry;
    do {
        errno = 0;
        entry = readdir(open);
    } while (entry && !read_name(entry->d_name, file));
    return entry != NULL;
}

/* Ends the reading of a folder, which is NULL if it could not be opened. 0 or a fault. */
static int end_folder(DIR *open, const char *folder, struct fault *fault)
{
    int why = errno;
    if (!open)
        return fault_system(fault, "cannot open folder %s", folder);
    closedir(open);
    errno = why;
    return why ? fault_system(fault, "cannot read folder %s", folder) : 0;
}

enum spooled spool_find_open(const char *folder, const char *name, struct spool_file *found,
                             struct fault *fault)
{
    struct spool_file file;
    DIR *open = opendir(folder);
    *found = (struct spool_file){ .open = false };
    while (open && next_file(open, &file))
        if (file.open && strcmp(file.name, name) == 0 &&
            (!found->open || file.first < found->first))
            *found = file;
    if (end_folder(open, folder, fault) < 0) return SPOOL_FAULT;
    return found->open ? SPOOL_FOUND : SPOOL_NONE;
}

static int by_first(const void *a, const void *b)
{
    const struct spool_range *one = a, *other = b;
    return (one->first > other->first) - (one->first < other->first);
}

int spool_list(const char *folder, const char *name, struct buffer *list, size_t *count,
               struct fault *fault)
{
    struct spool_file file;
    DIR *open = opendir(folder);
    *count = 0;
    while (open && next_file(open, &file)) {
        if (file.open || strcmp(file.name, name) != 0)
            continue;
        struct spool_range *range = buffer_for(list, *count + 1, sizeof *range, fault);
        if (range)
            range[(*count)++] = (struct spool_range){ file.first, file.last };
    }
    if (end_folder(open, folder, fault) < 0 || fault->kind != FAULT_NONE) return -1;
    if (*count)
        qsort(list->at, *count, sizeof(struct spool_range), by_first);
    return 0;
}

int spool_last(const char *folder, const char *name, uint64_t *last, struct fault *fault)
{
    struct spool_file file;
    DIR *open = opendir(folder);
    *last = 0;
    while (open && next_file(open, &file))
        if (!file.open && file.last > *last && (!name || strcmp(file.name, name) == 0))
            *last = file.last;
    return end_folder(open, folder, fault);
}

/* ---- finishing a file ---- */

int spool_finish(const char *folder, const struct spool_file *file, uint64_t last,
                 struct fault *fault)
{
    char from[SPOOL_PATH], to[SPOOL_PATH];
    struct spool_file finished = *file;
    finished.open = false;
    finished.last = last;
    if (spool_path(folder, file, from, fault) < 0 || spool_path(folder, &finished, to, fault) < 0)
        return -1;
    if (rename(from, to) < 0 && (errno != ENOENT || access(to, F_OK) < 0))
        return fault_system(fault, "cannot rename %s to %s", from, to);
    if (sync_folder(folder) < 0)
        return fault_system(fault, "cannot sync folder %s", folder);
    return 0;
}

/* Reads the whole rounds at the beginning of a file: counts them, and sets the last one and *bytes,
 * where they end. 1 where an end record ends the file after them; else 0; or a fault of the
 * system. */
static int count_whole(int fd, const char *path, struct spool_salvaged *salvaged, size_t *bytes,
                       struct fault *fault)
{
    struct fault damage = { FAULT_NONE, "" };
    struct mapped mapped;
    uint64_t t;
    struct record *record = malloc(sizeof *record);
    if (!record)
        return fault_no_room(fault, sizeof *record);
    int opened = mapped_open(&mapped, fd, path, NULL, fault), got = opened;
    while (opened == 0 && (got = reader_next(&mapped.reader, record, &damage)) > 0) {
        const char *text = record_key(record, "t");
        if (record->kind != RECORD_ROUND || !text || !record_number(text, RECORD_MOST, &t))
            break;
        salvaged->rounds++;
        salvaged->file.last = t;
        *bytes = mapped.reader.from;
    }
    mapped_close(&mapped);
    free(record);
    if (damage.kind == FAULT_SYSTEM)
        *fault = damage;
    return opened < 0 || damage.kind == FAULT_SYSTEM ? -1 : got == 0;
}

/* Makes the open file a whole stream, if it has a round: removes what follows the whole rounds,
 * adds an end record, and syncs. 0 or a fault. */
static int mend(int fd, const char *path, struct spool_salvaged *salvaged, struct fault *fault)
{
    struct writer writer;
    size_t bytes = 0;
    int ended = count_whole(fd, path, salvaged, &bytes, fault);
    if (ended < 0) return -1;
    off_t size = lseek(fd, 0, SEEK_END);
    if (size < 0)
        return fault_system(fault, "cannot read %s", path);
    salvaged->lost = ended ? 0 : (uint64_t)size - bytes;
    if (salvaged->rounds == 0)
        return 0;
    if (!ended) {
        if (ftruncate(fd, (off_t)bytes) < 0 || lseek(fd, 0, SEEK_END) < 0)
            return fault_system(fault, "cannot write %s", path);
        if (writer_open(&writer, fd, path, NULL, fault) < 0) return -1;
        int result = writer_end(&writer, salvaged->rounds, fault);
        writer_close(&writer);
        if (result < 0) return -1;
    }
    return sync_file(fd) < 0 ? fault_system(fault, "cannot write %s", path) : 0;
}

int spool_salvage(const char *folder, const struct spool_file *file,
                  struct spool_salvaged *salvaged, struct fault *fault)
{
    char path[SPOOL_PATH];
    *salvaged = (struct spool_salvaged){ *file, 0, 0 };
    if (spool_path(folder, file, path, fault) < 0) return -1;
    int fd = watch_open(NULL, path, O_RDWR, 0, fault);
    if (fd < 0)
        return fault_system(fault, "cannot open %s", path);
    int result = mend(fd, path, salvaged, fault);
    if (watch_close(fd) < 0 && result == 0)
        result = fault_system(fault, "cannot write %s", path);
    if (result < 0) return -1;
    salvaged->file.open = false;
    if (salvaged->rounds > 0)
        return spool_finish(folder, file, salvaged->file.last, fault);
    return unlink(path) < 0 ? fault_system(fault, "cannot remove %s", path) : 0;
}
