#include "log/learnt.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"
#include "base/unaligned.h"
#include "io/watch.h"
#include "log/state_file.h"

/* OPEN: files that are held open; WINDOW: hashes that are read at once. In a full segment a hash is
 * within 512 of where its value says, except one in 10^4: the standard deviation is at most
 * 128. */
enum { FULL = 65536, NAMES = 1000000, PATH = 4096, OPEN = 64, WINDOW = 1024 };

struct segment {
    uint64_t number, hashes;
    int fd; /* -1: it is opened when it is read */
};

static const char file_name[] = "learnt";

static struct segment *segments(const struct learnt *learnt)
{
    return learnt->list.at;
}

/* ---- reading ---- */

static int add_segment(struct learnt *learnt, uint64_t number, uint64_t hashes, struct fault *fault)
{
    struct segment *list = buffer_for(&learnt->list, learnt->count + 1, sizeof *list, fault);
    if (!list)
        return -1;
    list[learnt->count++] = (struct segment){ number, hashes, -1 };
    if (number >= learnt->next)
        learnt->next = number + 1;
    return 0;
}

static int read_line(void *self, const char *const *text, size_t fields, struct fault *fault)
{
    struct learnt *learnt = self;
    uint64_t number, hashes;
    char *end[2];
    if (fields == 3 && strcmp(text[0], "key") == 0) {
        for (size_t i = 0; i < 2; i++)
            learnt->key[i] = strtoull(text[i + 1], &end[i], 16);
        return !*end[0] && !*end[1] ? 0 : fault_data(fault, "not a key");
    }
    if (fields != 3 || strcmp(text[0], "segment") != 0)
        return fault_data(fault, "not a segment");
    if (state_number(text[1], &number, fault) < 0 || state_number(text[2], &hashes, fault) < 0)
        return -1;
    if (hashes == 0 || hashes > FULL)
        return fault_data(fault, "a segment has 1 to %d hashes", FULL);
    return add_segment(learnt, number, hashes, fault);
}

static int path_of(const char *folder, uint64_t number, char path[PATH], struct fault *fault)
{
    int n = snprintf(path, PATH, "%s/%s.%" PRIu64, folder, file_name, number);
    return n < PATH ? 0 : fault_other(fault, "the name of the folder %.40s... is too long", folder);
}

/* Opens a segment, which must be whole: its descriptor, or -1 and a fault. */
static int open_segment(const struct learnt *learnt, const struct segment *segment,
                        struct fault *fault)
{
    char path[PATH];
    if (path_of(learnt->folder, segment->number, path, fault) < 0)
        return -1;
    int fd = watch_open(NULL, path, O_RDONLY, 0, fault);
    off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
    if (size >= 0 && (uint64_t)size == segment->hashes * 8)
        return fd;
    if (size < 0)
        (void)fault_system(fault, "cannot read %s", path);
    else
        (void)fault_data(fault, "%s: it has %" PRIu64 " bytes, not %" PRIu64 ": use the generation "
                         "before this one", path, (uint64_t)size, segment->hashes * 8);
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Reads hashes from number `from` on. 0 or a fault. */
static int read_hashes(const struct learnt *learnt, const struct segment *segment, size_t from,
                       uint64_t *hashes, size_t n, struct fault *fault)
{
    int fd = segment->fd >= 0 ? segment->fd : open_segment(learnt, segment, fault);
    ssize_t got = fd < 0 ? -1 : pread(fd, hashes, n * 8, (off_t)from * 8);
    if (fd >= 0 && (size_t)got != n * 8)
        (void)fault_system(fault, "cannot read %s.%" PRIu64 " in %s", file_name, segment->number,
                           learnt->folder);
    if (fd >= 0 && fd != segment->fd)
        close(fd);
    little_numbers(hashes, n, 8);
    return fault->kind == FAULT_NONE ? 0 : -1;
}

static int add_hash(struct learnt *learnt, uint64_t hash, struct fault *fault)
{
    uint64_t *fresh = buffer_for(&learnt->fresh, learnt->added + 1, sizeof *fresh, fault);
    if (!fresh)
        return -1;
    fresh[learnt->added++] = hash;
    return 0;
}

/* A segment that is not full is written anew, under a new number. */
static int take_last(struct learnt *learnt, struct fault *fault)
{
    const struct segment *last = learnt->count ? segments(learnt) + learnt->count - 1 : NULL;
    if (!last || last->hashes == FULL)
        return 0;
    uint64_t *fresh = buffer_for(&learnt->fresh, last->hashes, sizeof *fresh, fault);
    learnt->added = last->hashes;
    return fresh ? read_hashes(learnt, last, 0, fresh, last->hashes, fault) : -1;
}

int learnt_open(struct learnt *learnt, const char *folder, struct fault *fault)
{
    int got = state_file_read(folder, file_name, read_line, learnt, fault);
    if (got == 0 && (entropy_seed(&learnt->key[0], fault) < 0 ||
                     entropy_seed(&learnt->key[1], fault) < 0))
        return -1;
    learnt->start = siphash_start(learnt->key[0], learnt->key[1]);
    learnt->folder = got > 0 ? malloc(strlen(folder) + 1) : NULL;
    if (got > 0 && !learnt->folder)
        return fault_no_room(fault, strlen(folder) + 1);
    if (got > 0)
        strcpy(learnt->folder, folder);
    for (size_t i = 0; got > 0 && i < learnt->count && i < OPEN; i++)
        if ((segments(learnt)[i].fd = open_segment(learnt, segments(learnt) + i, fault)) < 0)
            return -1;
    return got < 0 ? -1 : take_last(learnt, fault);
}

/* ---- names ---- */

static uint64_t hash_of(const struct learnt *learnt, const char *name)
{
    struct siphash hash = learnt->start;
    siphash_add(&hash, name, strlen(name));
    return siphash_end(&hash);
}

static int by_hash(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

/* Is the hash among those that come in the window at `from`? *there is where to look if not: before
 * the window, -1, in no other place, 0, or after it, 1. */
static int look(const struct learnt *learnt, const struct segment *segment, size_t from,
                uint64_t hash, int *there, struct fault *fault)
{
    uint64_t hashes[WINDOW];
    size_t n = segment->hashes - from < WINDOW ? segment->hashes - from : WINDOW;
    if (read_hashes(learnt, segment, from, hashes, n, fault) < 0)
        return -1;
    *there = hash < hashes[0] ? -(from > 0) : hash > hashes[n - 1] ? from + n < segment->hashes : 0;
    return bsearch(&hash, hashes, n, sizeof hash, by_hash) != NULL;
}

static int has(const struct learnt *learnt, const struct segment *segment, uint64_t hash,
               struct fault *fault)
{
    size_t at = (size_t)((hash >> 32) * segment->hashes >> 32);
    int there = 0, found;
    at = at > WINDOW / 2 ? at - WINDOW / 2 : 0;
    while ((found = look(learnt, segment, at, hash, &there, fault)) == 0 && there != 0)
        at = there > 0 ? at + WINDOW : at > WINDOW ? at - WINDOW : 0;
    return found;
}

int learnt_find(const struct learnt *learnt, const char *name, struct fault *fault)
{
    uint64_t hash = hash_of(learnt, name);
    int found = 0;
    for (size_t i = 0; i < learnt->count && found == 0; i++)
        found = has(learnt, segments(learnt) + i, hash, fault);
    return found < 0 ? -1 : found > 0;
}

int learnt_add(struct learnt *learnt, const char *name, struct fault *fault)
{
    return add_hash(learnt, hash_of(learnt, name), fault);
}

/* ---- writing ---- */

/* Gives a full segment of the generation before a second name in this one. */
static int link_segment(const struct learnt *learnt, const char *folder, uint64_t number,
                        struct fault *fault)
{
    char from[PATH], to[PATH];
    if (path_of(learnt->folder, number, from, fault) < 0 || path_of(folder, number, to, fault) < 0)
        return -1;
    if (link(from, to) < 0 && errno != EEXIST) /* a run that was killed has linked it */
        return fault_system(fault, "cannot link %s to %s", from, to);
    return 0;
}

static int write_segment(const char *folder, uint64_t number, uint64_t *hashes, size_t n,
                         struct fault *fault)
{
    char path[PATH];
    struct fresh_file file = { .path = NULL };
    qsort(hashes, n, sizeof *hashes, by_hash);
    little_numbers(hashes, n, sizeof *hashes);
    int result = path_of(folder, number, path, fault);
    if (result == 0)
        result = fresh_file_open(&file, path, fault);
    if (result == 0)
        result = writer_bytes(&file.writer, hashes, n * sizeof *hashes, fault);
    if (result == 0)
        result = fresh_file_finish(&file, fault);
    fresh_file_close(&file);
    return result;
}

static int list_segment(struct fresh_file *file, uint64_t number, uint64_t hashes,
                        struct fault *fault)
{
    return writer_text(&file->writer, fault, "segment\t%" PRIu64 "\t%" PRIu64 "\n", number, hashes);
}

/* Writes the segments and lists them; counts the lines. */
static int write_all(struct learnt *learnt, const char *folder, struct fresh_file *file,
                     uint64_t *lines, struct fault *fault)
{
    size_t full = learnt->count, first = 0;
    if (full && segments(learnt)[full - 1].hashes < FULL)
        full--;
    while (full - first > NAMES / FULL + 1)
        first++;
    for (size_t i = first; i < full; i++, ++*lines)
        if (link_segment(learnt, folder, segments(learnt)[i].number, fault) < 0 ||
            list_segment(file, segments(learnt)[i].number, FULL, fault) < 0)
            return -1;
    for (size_t at = 0, n; at < learnt->added; at += n, ++*lines) {
        n = learnt->added - at < FULL ? learnt->added - at : FULL;
        uint64_t *hashes = (uint64_t *)learnt->fresh.at + at;
        if (write_segment(folder, learnt->next, hashes, n, fault) < 0 ||
            list_segment(file, learnt->next++, n, fault) < 0)
            return -1;
    }
    return 0;
}

int learnt_write(struct learnt *learnt, const char *folder, struct fault *fault)
{
    struct fresh_file file;
    uint64_t lines = 1;
    int result = fresh_file_open_in(&file, folder, file_name, fault);
    if (result == 0)
        result = writer_text(&file.writer, fault, "key\t%016" PRIx64 "\t%016" PRIx64 "\n",
                             learnt->key[0], learnt->key[1]);
    if (result == 0)
        result = write_all(learnt, folder, &file, &lines, fault);
    if (result == 0)
        result = state_file_finish(&file, lines, fault);
    fresh_file_close(&file);
    return result;
}

void learnt_close(struct learnt *learnt)
{
    for (size_t i = 0; i < learnt->count; i++)
        if (segments(learnt)[i].fd >= 0)
            close(segments(learnt)[i].fd);
    buffer_free(&learnt->list);
    buffer_free(&learnt->fresh);
    free(learnt->folder);
    learnt->folder = NULL;
    learnt->count = 0;
}
