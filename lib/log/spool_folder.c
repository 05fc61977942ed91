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
#include "stream/mapped.h"
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
        return fault_other(fault, "folder %.40s...: its name is too long", folder);
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

/* Calls `look` for each file of the spool in a folder. 0 or a fault. */
static int each_file(const char *folder, void (*look)(const struct spool_file *file, void *self),
                     void *self, struct fault *fault)
{
    struct spool_file file;
    DIR *open = opendir(folder);
    if (!open)
        return fault_system(fault, "cannot open folder %s", folder);
    errno = 0;
    for (struct dirent *entry; (entry = readdir(open)); errno = 0)
        if (read_name(entry->d_name, &file))
            look(&file, self);
    int why = errno;
    closedir(open);
    errno = why;
    return why ? fault_system(fault, "cannot read folder %s", folder) : 0;
}

struct search {
    const char *name;
    uint64_t from;
    struct spool_file *found;
    bool any;
};

static void look_for_first(const struct spool_file *file, void *self)
{
    struct search *my = self;
    if (strcmp(file->name, my->name) != 0 || (!file->open && file->last < my->from) ||
        (my->any && my->found->first <= file->first))
        return;
    *my->found = *file;
    my->any = true;
}

/* A file that is renamed while a folder is read may be seen under neither name. So the folder is
 * read until two readings agree: each file is renamed once. */
int spool_find(const char *folder, const char *name, uint64_t from, struct spool_file *found,
               struct fault *fault)
{
    struct spool_file before = { "", 0, 0, false };
    for (bool first = true;; first = false) {
        struct search search = { name, from, found, false };
        if (each_file(folder, look_for_first, &search, fault) < 0)
            return -1;
        if (!search.any)
            *found = (struct spool_file){ "", 0, 0, false };
        if (!first && found->first == before.first && found->last == before.last)
            return search.any;
        before = *found;
    }
}

struct list_search {
    const char *name;
    uint64_t from, until; /* last rounds that are listed */
    struct buffer *list;
    size_t count;
    struct fault *fault;
};

static void add_to_list(const struct spool_file *file, void *self)
{
    struct list_search *my = self;
    if (file->open || file->last < my->from || file->last > my->until ||
        strcmp(file->name, my->name) != 0)
        return;
    struct spool_range *range = buffer_for(my->list, my->count + 1, sizeof *range, my->fault);
    if (range)
        range[my->count++] = (struct spool_range){ file->first, file->last };
}

static int by_first(const void *a, const void *b)
{
    const struct spool_range *one = a, *other = b;
    return (one->first > other->first) - (one->first < other->first);
}

/* As in spool_find, one reading may miss a file that is renamed meanwhile, and see a later one. So
 * what was last there in one reading ends the list of the next. */
int spool_list(const char *folder, const char *name, uint64_t from, struct buffer *list,
               size_t *count, struct fault *fault)
{
    uint64_t until;
    struct list_search search = { name, from, 0, list, 0, fault };
    if (spool_last(folder, name, &until, fault) < 0)
        return -1;
    search.until = until;
    if (until >= from && each_file(folder, add_to_list, &search, fault) < 0)
        return -1;
    *count = search.count;
    if (search.count)
        qsort(list->at, search.count, sizeof(struct spool_range), by_first);
    return fault->kind == FAULT_NONE ? 0 : -1;
}

struct name_search {
    const char *after;
    char *name;
    bool any;
};

static void look_for_name(const struct spool_file *file, void *self)
{
    struct name_search *my = self;
    if ((my->after && strcmp(file->name, my->after) <= 0) ||
        (my->any && strcmp(file->name, my->name) >= 0))
        return;
    strcpy(my->name, file->name);
    my->any = true;
}

int spool_next_name(const char *folder, const char *after, char name[SPOOL_NAME + 1],
                    struct fault *fault)
{
    struct name_search search = { after, name, false };
    return each_file(folder, look_for_name, &search, fault) < 0 ? -1 : search.any;
}

struct last_search {
    const char *name;
    uint64_t last;
};

static void look_for_last(const struct spool_file *file, void *self)
{
    struct last_search *my = self;
    bool wanted = !my->name || strcmp(file->name, my->name) == 0;
    if (!file->open && file->last > my->last && wanted)
        my->last = file->last;
}

int spool_last(const char *folder, const char *name, uint64_t *last, struct fault *fault)
{
    struct last_search search = { name, 0 };
    int result = each_file(folder, look_for_last, &search, fault);
    *last = search.last;
    return result;
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
    if (rename(from, to) < 0)
        return fault_system(fault, "cannot rename %s to %s", from, to);
    if (sync_folder(folder) < 0)
        return fault_system(fault, "cannot sync folder %s", folder);
    return 0;
}

struct whole { /* the whole rounds at the beginning of a file */
    uint64_t rounds, last;
    size_t bytes; /* of them */
    bool ended;   /* an end record is the last record of the file */
};

/* Reads the records of a mapped file as far as they are whole. 0 or a fault of the system. */
static int read_whole(struct reader *reader, struct whole *whole, struct fault *fault)
{
    struct fault damage = { FAULT_NONE, "" };
    int got;
    uint64_t t;
    struct record *record = malloc(sizeof *record);
    if (!record)
        return fault_no_room(fault, sizeof *record);
    *whole = (struct whole){ 0, 0, 0, false };
    while ((got = reader_next(reader, record, &damage)) > 0) {
        const char *text = record_key(record, "t");
        if (record->kind != RECORD_ROUND || !text || !record_number(text, RECORD_MOST, &t))
            break;
        whole->rounds++;
        whole->last = t;
        whole->bytes = reader->from;
    }
    free(record);
    whole->ended = got == 0;
    if (damage.kind == FAULT_SYSTEM)
        *fault = damage;
    return damage.kind == FAULT_SYSTEM ? -1 : 0;
}

/* Removes what follows the whole rounds of the file, and adds an end record. 0 or a fault. */
static int end_file(int fd, const char *path, const struct whole *whole, struct fault *fault)
{
    struct writer writer;
    if (ftruncate(fd, (off_t)whole->bytes) < 0 || lseek(fd, 0, SEEK_END) < 0)
        return fault_system(fault, "cannot write %s", path);
    if (writer_open(&writer, fd, path, NULL, fault) < 0)
        return -1;
    int result = writer_end(&writer, whole->rounds, fault);
    writer_close(&writer);
    return result;
}

/* Makes the open file a whole stream, if it has a round. 0 or a fault. */
static int mend(int fd, const char *path, struct whole *whole, uint64_t *lost,
                struct fault *fault)
{
    struct mapped mapped;
    int result = mapped_open(&mapped, fd, path, NULL, fault);
    off_t size = lseek(fd, 0, SEEK_END);
    *lost = 0;
    if (result == 0 && (size < 0 || !mapped.map))
        result = size < 0 ? fault_system(fault, "cannot read %s", path) : 0;
    *whole = (struct whole){ 0, 0, 0, false };
    if (result == 0 && mapped.map)
        result = read_whole(&mapped.reader, whole, fault);
    mapped_close(&mapped);
    if (result < 0)
        return -1;
    if (!whole->ended)
        *lost = (uint64_t)size - whole->bytes;
    if (whole->rounds > 0 && !whole->ended && end_file(fd, path, whole, fault) < 0)
        return -1;
    return whole->rounds > 0 && sync_file(fd) < 0 ? fault_system(fault, "cannot write %s", path)
                                                   : 0;
}

int spool_salvage(const char *folder, const struct spool_file *file,
                  struct spool_salvaged *salvaged, struct fault *fault)
{
    char path[SPOOL_PATH];
    struct whole whole;
    *salvaged = (struct spool_salvaged){ *file, 0, 0 };
    if (spool_path(folder, file, path, fault) < 0)
        return -1;
    int fd = watch_open(NULL, path, O_RDWR, 0, fault);
    if (fd < 0)
        return fault_system(fault, "cannot open %s", path);
    int result = mend(fd, path, &whole, &salvaged->lost, fault);
    if (watch_close(fd) < 0 && result == 0)
        result = fault_system(fault, "cannot write %s", path);
    if (result < 0)
        return -1;
    salvaged->rounds = whole.rounds;
    salvaged->file.last = whole.last;
    salvaged->file.open = false;
    if (whole.rounds > 0)
        return spool_finish(folder, file, whole.last, fault);
    return unlink(path) < 0 ? fault_system(fault, "cannot remove %s", path) : 0;
}
