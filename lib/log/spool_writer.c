#include "log/spool_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system.h"
#include "io/sync.h"

enum { LAST = 100000, PLACES = 1 << 17 }; /* rounds known; places, and buckets */

/* Of a request. Those of one bucket form a chain, newest first, through the ring of places. */
struct request_place {
    uint64_t hash, offset; /* offset: of its round, in the file */
    uint64_t before;       /* number of the next older place of the bucket; 0: none */
    uint32_t file;
};

static bool is_open(const struct spool_writer *writer)
{
    return writer->file.name[0] != '\0';
}

static int fail(struct spool_writer *writer)
{
    writer->failed = true;
    return -1;
}

/* ---- the folder ---- */

/* Closes the open file's descriptor and frees its buffer: 0, or -1 and errno. */
static int close_file(struct spool_writer *writer)
{
    int closed = watch_close(writer->writer.pending.fd);
    writer_close(&writer->writer);
    writer->file.name[0] = '\0';
    return closed;
}

/* Makes the folder where it is missing, at the start or later, and locks the log in it. What was
 * open went with it. Its parent is never made: a disk may not be mounted there. 0 or a fault. */
static int make_folder(struct spool_writer *writer, struct fault *fault)
{
    if (writer->lock_fd >= 0 && access(writer->lock, F_OK) == 0)
        return 0;
    if (is_open(writer)) (void)close_file(writer);
    writer->ended.name[0] = '\0';
    if (mkdir(writer->folder, 0770) < 0 ? errno != EEXIST : sync_folder_of(writer->folder) < 0)
        return fault_system(fault, "cannot make folder %s", writer->folder);

    if (writer->lock_fd >= 0) close(writer->lock_fd);
    writer->lock_fd = -1;
    snprintf(writer->lock, sizeof writer->lock, "%s/%s.lock", writer->folder, writer->name);
    int taken = lock_take(writer->lock, &writer->lock_fd, fault);
    if (taken < 0)
        fault_place(fault, "%s: ", writer->folder);
    if (taken == 0)
        return fault_other(fault, "%s: another spool is writing this log (%s is locked): give each "
                           "writer a name of its own (-n)", writer->folder, writer->lock);
    return taken < 0 ? -1 : 0;
}

/* Salvages files that a killed writer left open. 0 or a fault; `last` is known either way. */
static int salvage_open(struct spool_writer *writer, struct spool_salvaged *salvaged,
                        struct fault *fault)
{
    struct spool_file file;
    uint64_t last;
    enum spooled found;
    if (spool_last(writer->folder, writer->name, &last, fault) < 0) return -1;
    writer->last = last > writer->last ? last : writer->last;
    while ((found = spool_find_open(writer->folder, writer->name, &file, fault)) == SPOOL_FOUND) {
        int saved = spool_salvage(writer->folder, &file, salvaged, fault);
        writer->last = salvaged->file.last > writer->last ? salvaged->file.last : writer->last;
        if (saved < 0) return -1;
    }
    writer->salvaged = found == SPOOL_NONE;
    return found == SPOOL_NONE ? 0 : -1;
}

static int ring(void *self, struct fault *fault)
{
    struct spool_writer *writer = self;
    return spool_writer_cut(writer, fault) < 0 ? writer->outlive(writer->to, fault) : 0;
}

int spool_writer_open(struct spool_writer *writer, struct watch *watch,
                      struct spool_salvaged *salvaged, struct fault *fault)
{
    char path[SPOOL_PATH];
    struct spool_file finished = { "", 0, 0, false }; /* whose path is the longest of all */
    *salvaged = (struct spool_salvaged){ .rounds = 0 };
    stpncpy(finished.name, writer->name, SPOOL_NAME);
    if (spool_path(writer->folder, &finished, path, fault) < 0 || make_folder(writer, fault) < 0)
        return -1;
    writer->alarm = (struct watch_alarm){ -1, ring, writer, watch->alarms };
    watch->alarms = &writer->alarm;
    writer->failed = salvage_open(writer, salvaged, fault) < 0;
    return writer->failed ? writer->outlive(writer->to, fault) : 0;
}

/* ---- the open file ---- */

/* Starts a file before round t: where the log has rounds, at the number after them. */
static int start(struct spool_writer *writer, uint64_t t, struct fault *fault)
{
    struct spool_file file = { "", writer->last > 0 ? writer->last + 1 : t, 0, true };
    stpncpy(file.name, writer->name, SPOOL_NAME);
    if (spool_path(writer->folder, &file, writer->path, fault) < 0) return -1;
    if (make_folder(writer, fault) < 0) return -1;
    int fd = watch_open(NULL, writer->path, O_WRONLY | O_CREAT | O_EXCL, 0660, fault);
    if (fd < 0)
        return fault_system(fault, "cannot write %s", writer->path);
    if (writer_open(&writer->writer, fd, writer->path, NULL, fault) < 0) {
        close(fd);
        return -1;
    }
    writer->file = file;
    writer->rounds = 0;
    writer->kept = (struct spool_kept){ 0, writer->last, 0 };
    writer->named = false;
    writer->alarm.due = writer->seconds ? watch_now() + 1000 * (long)writer->seconds : -1;
    return 0;
}

/* Gives a file that is ended its finished name. 0 or a fault. */
static int name_ended(struct spool_writer *writer, struct fault *fault)
{
    if (!writer->ended.name[0])
        return 0;
    if (spool_finish(writer->folder, &writer->ended, writer->ended.last, fault) < 0)
        return fail(writer);
    writer->ended.name[0] = '\0';
    return 0;
}

int spool_writer_cut(struct spool_writer *writer, struct fault *fault)
{
    writer->alarm.due = -1;
    if (writer->failed || !is_open(writer))
        return writer->failed ? -1 : 0;
    if (writer->rounds == 0) { /* nothing was left to be committed: the file goes */
        if (close_file(writer) == 0 && unlink(writer->path) == 0)
            return 0;
        (void)fault_system(fault, "cannot remove %s", writer->path);
        return fail(writer);
    }
    if (writer_end(&writer->writer, writer->rounds, fault) < 0)
        return fail(writer);
    bool synced = sync_file(writer->writer.pending.fd) == 0;
    if (synced) {
        writer->ended = writer->file;
        writer->ended.last = writer->last;
        writer->unsynced = false;
    }
    if (!synced || close_file(writer) < 0) {
        (void)fault_system(fault, "cannot write %s", writer->path);
        return fail(writer);
    }
    return name_ended(writer, fault);
}

/* Where the next record will begin in the open file, which must be there. 0 or a fault. */
static int find_end(const struct spool_writer *writer, uint64_t *bytes, struct fault *fault)
{
    off_t at = lseek(writer->writer.pending.fd, 0, SEEK_CUR);
    if (at < 0 || access(writer->path, F_OK) < 0)
        return fault_system(fault, "cannot write %s", writer->path);
    *bytes = (uint64_t)at + writer->writer.pending.held;
    return 0;
}

int spool_writer_commit(struct spool_writer *writer, struct fault *fault)
{
    if (writer->failed) return -1;
    if (is_open(writer) && writer->unsynced) {
        if (writer_flush(&writer->writer, fault) < 0)
            return fail(writer);
        if (writer->syncs && sync_file(writer->writer.pending.fd) < 0) {
            (void)fault_system(fault, "cannot write %s", writer->path);
            return fail(writer);
        }
        if (writer->syncs && !writer->named && sync_folder(writer->folder) < 0) {
            (void)fault_system(fault, "cannot sync folder %s", writer->folder);
            return fail(writer);
        }
        writer->named = writer->named || writer->syncs;
        if (find_end(writer, &writer->kept.bytes, fault) < 0)
            return fail(writer);
        writer->kept.rounds = writer->rounds;
        writer->kept.last = writer->last;
        writer->unsynced = false;
    }
    writer->requests.kept = writer->requests.added;
    return 0;
}

/* Cuts the open file back to what is committed; the requests put since are not known any more. 0 or
 * a fault. */
static int cut_back(struct spool_writer *writer, struct fault *fault)
{
    int fd = writer->writer.pending.fd;
    uint64_t lost = writer->rounds - writer->kept.rounds;
    writer->writer.pending.held = 0;
    writer->total -= lost;
    writer->rounds = writer->kept.rounds;
    writer->last = writer->kept.last;
    writer->unsynced = false;
    if (lost) {
        for (; writer->requests.added > writer->requests.kept; writer->requests.added--) {
            const struct request_place *place =
                &writer->requests.place[writer->requests.added % PLACES];
            writer->requests.head[place->hash % PLACES] = place->before;
        }
        writer->requests.last = writer->last;
    }
    if (ftruncate(fd, (off_t)writer->kept.bytes) < 0 || lseek(fd, 0, SEEK_END) < 0)
        return fault_system(fault, "cannot write %s", writer->path);
    return 0;
}

int spool_writer_take_back(struct spool_writer *writer, struct fault *fault)
{
    struct spool_salvaged ignored;
    if ((is_open(writer) && cut_back(writer, fault) < 0) || make_folder(writer, fault) < 0 ||
        (!writer->salvaged && salvage_open(writer, &ignored, fault) < 0) ||
        name_ended(writer, fault) < 0)
        return -1;
    writer->failed = false;
    return 0;
}

/* ---- requests ---- */

static uint64_t hash_of(const struct spool_writer *writer, const char *request)
{
    struct siphash hash = writer->requests.start;
    siphash_add(&hash, request, strlen(request));
    return siphash_end(&hash);
}

/* Enters a request of the last file of the list, whose round begins at that byte. */
static void enter_request(struct spool_writer *writer, const char *request, uint64_t offset)
{
    uint64_t hash = hash_of(writer, request), *head = &writer->requests.head[hash % PLACES];
    writer->requests.added++;
    writer->requests.place[writer->requests.added % PLACES] = (struct request_place){
        hash, offset, *head, (uint32_t)writer->requests.files - 1
    };
    *head = writer->requests.added;
}

/* File i of the list, from 0. */
static struct spool_range *listed(const struct spool_writer *writer, size_t i)
{
    return (struct spool_range *)writer->requests.list.at + i;
}

/* The path of a file of the list, and whether it is being written. 0 or a fault. */
static int set_path(struct spool_writer *writer, size_t i, char path[SPOOL_PATH], bool *open,
                    struct fault *fault)
{
    struct spool_range *range = listed(writer, i);
    *open = is_open(writer) && writer->file.first == range->first;
    if (!*open && range->last == 0)
        range->last = writer->requests.last;
    struct spool_file file = { "", range->first, range->last, *open };
    stpncpy(file.name, writer->name, SPOOL_NAME);
    return spool_path(writer->folder, &file, path, fault);
}

/* Reads the last file of the list to its end, and enters its requests. What follows damage in it is
 * not known. 0; or a fault of the system, or of a signal. */
static int scan(struct spool_writer *writer, struct watch *watch, struct fault *fault)
{
    struct fault damage = { FAULT_NONE, "" };
    struct reader reader;
    char path[SPOOL_PATH], text[sizeof damage.text];
    bool open;
    if (set_path(writer, writer->requests.files - 1, path, &open, fault) < 0) return -1;
    int fd = watch_open(watch, path, O_RDONLY, 0, fault);
    if (fd < 0)
        return errno == ENOENT ? 0 : fault_system(fault, "cannot open %s", path);
    reader_open(&reader, fd, path, watch);
    while (reader_next(&reader, writer->requests.record, &damage) > 0) {
        const char *request = record_key(writer->requests.record, "request");
        if (request)
            enter_request(writer, request, reader.offset + reader.at);
    }
    reader_close(&reader);
    close(fd);
    if (damage.kind == FAULT_DATA || damage.kind == FAULT_CUT) {
        snprintf(text, sizeof text, "%.900s: requests after it are not known", damage.text);
        writer->warn(writer->to, text);
    } else if (damage.kind != FAULT_NONE) {
        *fault = damage;
        return -1;
    }
    return 0;
}

int spool_writer_remember(struct spool_writer *writer, struct watch *watch, struct fault *fault)
{
    size_t count, from;
    uint64_t ahead = 0;
    writer->requests.start = entropy_siphash();
    writer->requests.place = calloc(PLACES, sizeof *writer->requests.place);
    writer->requests.head = calloc(PLACES, sizeof *writer->requests.head);
    writer->requests.record = malloc(sizeof *writer->requests.record);
    if (!writer->requests.place || !writer->requests.head || !writer->requests.record)
        return fault_no_room(fault, PLACES * (sizeof(struct request_place) + sizeof(uint64_t)));
    if (spool_list(writer->folder, writer->name, &writer->requests.list, &count, fault) < 0)
        return -1;
    for (from = count; from > 0 && ahead < LAST; from--)
        ahead += listed(writer, from - 1)->last - listed(writer, from - 1)->first + 1;
    for (writer->requests.files = from; writer->requests.files < count;) {
        writer->requests.files++;
        if (scan(writer, watch, fault) < 0) return -1;
    }
    writer->requests.kept = writer->requests.added;
    return 0;
}

/* Has the stored round the query of this one: its qid and documents? The order is what an answer
 * is made of. */
static bool same_query(const struct record *stored, const struct record *record)
{
    static const char *const keys[] = { "qid", "docs" };
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const char *is = record_key(record, keys[k]), *was = record_key(stored, keys[k]);
        if (!is != !was || (is && strcmp(is, was) != 0))
            return false;
    }
    if (!record_column(record, "order") != !record_column(stored, "order"))
        return false;
    const struct column *is = record_column(record, ROUND_NAMES);
    const struct column *was = record_column(stored, ROUND_NAMES);
    if (!is || !was)
        return is == was;
    return column_bytes(is) == column_bytes(was) &&
           (!is->data || memcmp(is->data, was->data, column_bytes(is)) == 0);
}

/* Reads the record at a place. 1; 0 where no round is there; or a fault. */
static int read_record(struct spool_writer *writer, int fd, const char *path, uint64_t offset,
                       struct record *record, struct fault *fault)
{
    if (lseek(fd, (off_t)offset, SEEK_SET) < 0)
        return fault_system(fault, "cannot read %s", path);
    reader_close(&writer->requests.reader);
    reader_open(&writer->requests.reader, fd, path, NULL);
    int got = reader_next(&writer->requests.reader, record, fault);
    if (fault->kind == FAULT_CUT)
        fault->kind = FAULT_DATA;
    return got > 0 && record->kind != RECORD_ROUND ? 0 : got;
}

/* Is the round's request at this place? Then puts what is stored in the round's place. */
static enum spooled look_in_file(struct spool_writer *writer, int fd, const char *path,
                                 uint64_t offset, struct round *round, struct fault *fault)
{
    struct record *record = writer->requests.record;
    int got = read_record(writer, fd, path, offset, record, fault);
    const char *request = got > 0 ? record_key(record, "request") : NULL;
    if (!request || strcmp(request, round->request) != 0)
        return got < 0 ? SPOOL_FAULT : SPOOL_NONE;
    if (!same_query(record, round->record))
        return fault_data(fault, "the request %s is in the log with another query or other "
                          "documents: give each request a name of its own", round->request);
    if (read_record(writer, fd, path, offset, round->record, fault) < 0) return SPOOL_FAULT;
    round->restored = false;
    return round_read(round, fault) < 0 ? SPOOL_FAULT : SPOOL_FOUND;
}

enum spooled spool_writer_find(struct spool_writer *writer, struct round *round,
                               struct fault *fault)
{
    const struct request_place *place;
    char path[SPOOL_PATH];
    bool open;
    if (!round->request || !writer->requests.head)
        return SPOOL_NONE;
    const uint64_t hash = hash_of(writer, round->request);
    uint64_t number = writer->requests.head[hash % PLACES];
    for (; number && writer->requests.added - number < PLACES; number = place->before) {
        place = &writer->requests.place[number % PLACES];
        if (place->hash != hash)
            continue;
        if (set_path(writer, place->file, path, &open, fault) < 0) return SPOOL_FAULT;
        if (open && writer->failed)
            continue;
        if (open && writer_flush(&writer->writer, fault) < 0)
            return fail(writer);
        int fd = watch_open(NULL, path, O_RDONLY, 0, fault);
        if (fd < 0 && errno == ENOENT) /* it is not there any more */
            continue;
        if (fd < 0)
            return fault_system(fault, "cannot open %s", path);
        enum spooled found = look_in_file(writer, fd, path, place->offset, round, fault);
        close(fd);
        if (found != SPOOL_NONE)
            return found;
    }
    return SPOOL_NONE;
}

/* A round was put into the file that begins with round `first`, at that byte. 0 or a fault. */
static int remember(struct spool_writer *writer, const struct round *round, uint64_t first,
                    uint64_t offset, struct fault *fault)
{
    const size_t files = writer->requests.files;
    if (files == 0 || listed(writer, files - 1)->first != first) { /* a new file */
        if (files && listed(writer, files - 1)->last == 0)
            listed(writer, files - 1)->last = writer->requests.last;
        writer->requests.kept = writer->requests.added; /* the file before is whole */
        struct spool_range *range = buffer_for(&writer->requests.list, files + 1, sizeof *range,
                                               fault);
        if (!range) return -1;
        range[writer->requests.files++] = (struct spool_range){ first, 0 };
    }
    writer->requests.last = round->t;
    if (round->request)
        enter_request(writer, round->request, offset);
    return 0;
}

int spool_writer_put(struct spool_writer *writer, struct round *round, struct fault *fault)
{
    struct record *record = round->record;
    struct splice *spliced = record->spliced;
    enum record_crc has_crc = record->has_crc;
    uint64_t offset = 0;
    if (writer->alarm.due >= 0 && watch_now() >= writer->alarm.due &&
        spool_writer_cut(writer, fault) < 0)
        return -1;
    if (writer->failed || (!is_open(writer) && start(writer, round->t, fault) < 0) ||
        (writer->requests.head && find_end(writer, &offset, fault) < 0))
        return fail(writer);
    const uint64_t first = writer->file.first;
    record->spliced = NULL;
    record_want_crc(record);
    int result = writer_record(&writer->writer, record, fault);
    record->spliced = spliced;
    record->has_crc = has_crc;
    if (result < 0)
        return fail(writer);
    writer->last = round->t;
    writer->rounds++;
    writer->total++;
    writer->unsynced = true;
    if (writer->rounds >= writer->every)
        result = spool_writer_cut(writer, fault);
    if (writer->requests.head && remember(writer, round, first, offset, fault) < 0)
        result = -1;
    return result;
}

void spool_writer_close(struct spool_writer *writer)
{
    struct fault ignored = { FAULT_NONE, "" };
    struct spool_salvaged salvaged;
    if (*writer->lock && writer->lock_fd >= 0) {
        struct spool_file file = writer->file;
        if (is_open(writer)) {
            (void)close_file(writer);
            (void)spool_salvage(writer->folder, &file, &salvaged, &ignored);
        }
        lock_release(writer->lock, writer->lock_fd);
        writer->lock[0] = '\0';
    }
    reader_close(&writer->requests.reader);
    buffer_free(&writer->requests.list);
    free(writer->requests.record);
    free(writer->requests.head);
    free(writer->requests.place);
}
