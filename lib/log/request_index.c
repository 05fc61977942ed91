#include "log/request_index.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"
#include "stream/round.h"

enum { LAST = 100000, PLACES = 1 << 17 }; /* rounds known; places, and buckets */

struct request_place {
    uint64_t hash, offset;
    uint64_t before; /* number of the next older place of the bucket; 0: none */
    uint32_t file;
};

/* ---- memory ---- */

static uint64_t hash_of(const struct request_index *my, const char *request, size_t n)
{
    struct siphash hash = my->start;
    siphash_add(&hash, request, n);
    return siphash_end(&hash);
}

/* A request of the last file of the list. */
static void enter(void *self, const char *request, size_t n, uint64_t offset)
{
    struct request_index *my = self;
    uint64_t hash = hash_of(my, request, n), *head = &my->head[hash % PLACES];
    my->added++;
    my->place[my->added % PLACES] = (struct request_place){ hash, offset, *head,
                                                            (uint32_t)my->files - 1 };
    *head = my->added;
}

static struct spool_range *files(const struct request_index *my)
{
    return my->list.at;
}

/* ---- the files of the log ---- */

/* The path of a file, and whether it is being written. 0 or a fault. */
static int set_path(struct request_index *my, size_t i, char path[SPOOL_PATH], bool *open,
                    struct fault *fault)
{
    struct spool_range *range = &files(my)[i];
    const struct spool_writer *log = my->log;
    *open = *log->file.name && log->file.first == range->first;
    if (!*open && range->last == 0) range->last = my->last;
    struct spool_file file = { "", range->first, range->last, *open };
    stpncpy(file.name, log->name, SPOOL_NAME);
    return spool_path(log->folder, &file, path, fault);
}

/* Reads the last finished file of the list to its end, and enters its requests. What follows damage
 * in it is not known. 0; or a fault of the system, or of a signal. */
static int scan(struct request_index *my, struct watch *watch, struct fault *fault)
{
    struct fault damage = { FAULT_NONE, "" };
    struct reader reader;
    char path[SPOOL_PATH], text[sizeof damage.text];
    bool open;
    if (set_path(my, my->files - 1, path, &open, fault) < 0) return -1;
    int fd = watch_open(watch, path, O_RDONLY, 0, fault);
    if (fd < 0) return errno == ENOENT ? 0 : fault_system(fault, "cannot open %s", path);
    reader_open(&reader, fd, path, watch);
    while (reader_next(&reader, my->record, &damage) > 0) {
        const char *request = record_key(my->record, "request");
        if (request) enter(my, request, strlen(request), reader.offset + reader.at);
    }
    reader_close(&reader);
    close(fd);
    if (damage.kind == FAULT_NONE) return 0;
    if (damage.kind != FAULT_DATA && damage.kind != FAULT_CUT) {
        *fault = damage;
        return -1;
    }
    snprintf(text, sizeof text, "%.900s: requests after it are not known", damage.text);
    my->warn(my->to, text);
    return 0;
}

/* ---- opening ---- */

static int make_room(struct request_index *my, struct fault *fault)
{
    my->start = entropy_siphash();
    my->place = calloc(PLACES, sizeof *my->place);
    my->head = calloc(PLACES, sizeof *my->head);
    my->record = malloc(sizeof *my->record);
    if (my->place && my->head && my->record) return 0;
    return fault_no_room(fault, PLACES * (sizeof *my->place + sizeof *my->head));
}

int request_index_open(struct request_index *my, struct watch *watch, struct fault *fault)
{
    const struct spool_writer *log = my->log;
    size_t count;
    uint64_t ahead = 0;
    if (make_room(my, fault) < 0 ||
        spool_list(log->folder, log->name, 1, &my->list, &count, fault) < 0)
        return -1;
    for (my->files = count; my->files > 0 && ahead < LAST; my->files--) {
        const struct spool_range *range = &files(my)[my->files - 1];
        ahead += range->last - range->first + 1;
    }
    while (my->files < count) {
        my->files++;
        if (scan(my, watch, fault) < 0) return -1;
    }
    request_index_commit(my);
    return 0;
}

/* ---- a request that comes again ---- */

/* Has the stored round the query of this one: its qid and documents? The order is what an answer
 * is made of. */
static bool same_query(const struct record *stored, const struct record *record)
{
    static const char *const keys[] = { "qid", "docs" };
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const char *is = record_key(record, keys[k]), *was = record_key(stored, keys[k]);
        if (!is != !was || (is && strcmp(is, was) != 0)) return false;
    }
    if (!record_column(record, "order") != !record_column(stored, "order")) return false;
    const struct column *is = record_column(record, ROUND_NAMES);
    const struct column *was = record_column(stored, ROUND_NAMES);
    if (!is || !was) return is == was;
    return column_bytes(is) == column_bytes(was) &&
           (!is->data || memcmp(is->data, was->data, column_bytes(is)) == 0);
}

/* Reads the record at a place. 1; 0 where no round is there; or a fault. */
static int read_record(struct request_index *my, int fd, const char *path, uint64_t offset,
                       struct record *record, struct fault *fault)
{
    if (lseek(fd, (off_t)offset, SEEK_SET) < 0) return fault_system(fault, "cannot read %s", path);
    reader_close(&my->reader);
    reader_open(&my->reader, fd, path, NULL);
    int got = reader_next(&my->reader, record, fault);
    if (fault->kind == FAULT_CUT) fault->kind = FAULT_DATA;
    return got > 0 && record->kind != RECORD_ROUND ? 0 : got;
}

/* Is that request at this place? Then puts what is stored in the round's place. */
static enum request_found look(struct request_index *my, int fd, const char *path, uint64_t offset,
                               struct round *round, struct fault *fault)
{
    int got = read_record(my, fd, path, offset, my->record, fault);
    const char *request = got > 0 ? record_key(my->record, "request") : NULL;
    if (!request || strcmp(request, round->request) != 0)
        return got < 0 ? REQUEST_FAULT : REQUEST_NEW;
    if (!same_query(my->record, round->record)) {
        (void)fault_data(fault,
                         "the request %s is in the log with another query or other "
                         "documents: give each request a name of its own",
                         round->request);
        return REQUEST_FAULT;
    }
    if (read_record(my, fd, path, offset, round->record, fault) < 0) return REQUEST_FAULT;
    round->restored = false;
    return round_read(round, fault) < 0 ? REQUEST_FAULT : REQUEST_STORED;
}

/* Opens the file of a place, of which all rounds are with the system. -1: it is not there any more,
 * or a fault. */
static int open_file(struct request_index *my, size_t i, char path[SPOOL_PATH], struct fault *fault)
{
    bool open;
    if (set_path(my, i, path, &open, fault) < 0 || (open && spool_writer_flush(my->log, fault) < 0))
        return -1;
    int fd = watch_open(NULL, path, O_RDONLY, 0, fault);
    if (fd < 0 && errno != ENOENT) (void)fault_system(fault, "cannot open %s", path);
    return fd;
}

enum request_found request_index_find(struct request_index *my, struct round *round,
                                      struct fault *fault)
{
    const struct request_place *place;
    char path[SPOOL_PATH];
    enum request_found found = REQUEST_NEW;
    if (!round->request) return REQUEST_NEW;
    uint64_t hash = hash_of(my, round->request, strlen(round->request));
    uint64_t number = my->head[hash % PLACES];
    for (; number && my->added - number < PLACES; number = place->before) {
        place = &my->place[number % PLACES];
        if (place->hash != hash) continue;
        int fd = open_file(my, place->file, path, fault);
        if (fd < 0 && fault->kind != FAULT_NONE) return REQUEST_FAULT;
        if (fd < 0) continue;
        found = look(my, fd, path, place->offset, round, fault);
        close(fd);
        if (found != REQUEST_NEW) return found;
    }
    return REQUEST_NEW;
}

/* ---- a new request ---- */

/* The file of the list that was being written is finished, or is given up. */
static void finish(struct request_index *my)
{
    struct spool_range *range = my->files ? &files(my)[my->files - 1] : NULL;
    if (range && range->last == 0) range->last = my->last;
}

/* A new file of the log is being written. 0 or a fault. */
static int begin(struct request_index *my, uint64_t first, struct fault *fault)
{
    finish(my);
    request_index_commit(my); /* the file before is whole */
    struct spool_range *range = buffer_for(&my->list, my->files + 1, sizeof *range, fault);
    if (!range) return -1;
    range[my->files++] = (struct spool_range){ first, 0 };
    return 0;
}

int request_index_put(struct request_index *my, struct round *round, struct fault *fault)
{
    struct spool_place place;
    uint64_t had = my->log->total;
    int put = spool_writer_put(my->log, round->record, round->t, &place, fault);
    if (my->log->total == had) return -1;
    if ((my->files == 0 || files(my)[my->files - 1].first != place.first) &&
        begin(my, place.first, fault) < 0)
        return -1;
    my->last = round->t;
    if (round->request) enter(my, round->request, strlen(round->request), place.offset);
    return put;
}

void request_index_commit(struct request_index *my)
{
    my->kept = my->added;
}

void request_index_take_back(struct request_index *my)
{
    for (; my->added > my->kept; my->added--) {
        const struct request_place *place = &my->place[my->added % PLACES];
        my->head[place->hash % PLACES] = place->before;
    }
    my->last = my->log->last;
}

void request_index_close(struct request_index *my)
{
    reader_close(&my->reader);
    buffer_free(&my->list);
    free(my->record);
    free(my->head);
    free(my->place);
}
