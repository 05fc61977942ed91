#include "log/spool_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/sync.h"

static bool is_open(const struct spool_writer *writer)
{
    return writer->file.name[0] != '\0';
}

static int lock(struct spool_writer *writer, struct fault *fault)
{
    size_t room = strlen(writer->folder) + strlen(writer->name) + sizeof "/.lock";
    writer->lock_fd = -1;
    writer->lock = malloc(room);
    if (!writer->lock)
        return fault_no_room(fault, room);
    snprintf(writer->lock, room, "%s/%s.lock", writer->folder, writer->name);
    int taken = lock_take(writer->lock, &writer->lock_fd, fault);
    if (taken < 0)
        fault_place(fault, "%s: ", writer->folder);
    if (taken == 0)
        return fault_other(fault, "%s: another spool is writing this log (%s is locked): give each "
                           "writer a name of its own (-n)", writer->folder, writer->lock);
    return taken < 0 ? -1 : 0;
}

static int forgive(struct spool_writer *writer, struct fault *fault)
{
    return writer->outlive ? writer->outlive(writer->to, fault) : -1;
}

static int ring(void *self, struct fault *fault)
{
    return spool_writer_cut(self, fault) < 0 ? forgive(self, fault) : 0;
}

/* Is there room for the path of a finished file, which is the longest? 0 or a fault. */
static int check_folder(const struct spool_writer *writer, struct fault *fault)
{
    char path[SPOOL_PATH];
    struct spool_file file = { "", 0, 0, false };
    stpncpy(file.name, writer->name, SPOOL_NAME);
    return spool_path(writer->folder, &file, path, fault);
}

/* Salvages files that a killed writer left open. 0 or a fault; `last` is known either way. */
static int salvage_open(struct spool_writer *writer, struct spool_salvaged *salvaged,
                        struct fault *fault)
{
    struct spool_file file;
    uint64_t last;
    int got;
    if (spool_last(writer->folder, writer->name, &last, fault) < 0) return -1;
    writer->last = last > writer->last ? last : writer->last;
    /* All numbers are below RECORD_MOST, so this is an open file. */
    while ((got = spool_find(writer->folder, writer->name, RECORD_MOST, &file, fault)) > 0) {
        int saved = spool_salvage(writer->folder, &file, salvaged, fault);
        writer->last = salvaged->file.last > writer->last ? salvaged->file.last : writer->last;
        if (saved < 0) return -1;
    }
    writer->salvaged = got == 0;
    return got;
}

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
    free(writer->lock);
    return lock(writer, fault);
}

int spool_writer_open(struct spool_writer *writer, struct watch *watch,
                      struct spool_salvaged *salvaged, struct fault *fault)
{
    *salvaged = (struct spool_salvaged){ .rounds = 0 };
    if (check_folder(writer, fault) < 0 || make_folder(writer, fault) < 0) return -1;
    writer->alarm = (struct watch_alarm){ -1, ring, writer, watch->alarms };
    watch->alarms = &writer->alarm;
    writer->failed = salvage_open(writer, salvaged, fault) < 0;
    return writer->failed ? forgive(writer, fault) : 0;
}

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

static int fail(struct spool_writer *writer)
{
    writer->failed = true;
    return -1;
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

int spool_writer_put(struct spool_writer *writer, struct record *record, uint64_t t,
                     struct spool_place *place, struct fault *fault)
{
    struct splice *spliced = record->spliced;
    enum record_crc has_crc = record->has_crc;
    if (writer->alarm.due >= 0 && watch_now() >= writer->alarm.due &&
        spool_writer_cut(writer, fault) < 0)
        return -1;
    if (writer->failed || (!is_open(writer) && start(writer, t, fault) < 0) ||
        (place && find_end(writer, &place->offset, fault) < 0))
        return fail(writer);
    if (place)
        place->first = writer->file.first;
    record->spliced = NULL;
    record_want_crc(record);
    int result = writer_record(&writer->writer, record, fault);
    record->spliced = spliced;
    record->has_crc = has_crc;
    if (result < 0)
        return fail(writer);
    writer->last = t;
    writer->rounds++;
    writer->total++;
    writer->unsynced = true;
    return writer->every && writer->rounds >= writer->every ? spool_writer_cut(writer, fault) : 0;
}

/* Syncs the open file, and its name too if it is new. 0 or a fault. */
static int sync_open_file(struct spool_writer *writer, struct fault *fault)
{
    if (sync_file(writer->writer.pending.fd) < 0)
        return fault_system(fault, "cannot write %s", writer->path);
    if (!writer->named && sync_folder(writer->folder) < 0)
        return fault_system(fault, "cannot sync folder %s", writer->folder);
    writer->named = true;
    return 0;
}

int spool_writer_flush(struct spool_writer *writer, struct fault *fault)
{
    if (writer->failed) return -1;
    return is_open(writer) && writer_flush(&writer->writer, fault) < 0 ? fail(writer) : 0;
}

int spool_writer_commit(struct spool_writer *writer, struct fault *fault)
{
    if (writer->failed) return -1;
    if (!is_open(writer) || !writer->unsynced)
        return 0;
    if (writer_flush(&writer->writer, fault) < 0)
        return fail(writer);
    if ((writer->syncs && sync_open_file(writer, fault) < 0) ||
        find_end(writer, &writer->kept.bytes, fault) < 0)
        return fail(writer);
    writer->kept.rounds = writer->rounds;
    writer->kept.last = writer->last;
    writer->unsynced = false;
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

/* An open file without a round, of which nothing was left to be committed, goes. 0 or a fault. */
static int remove_empty(struct spool_writer *writer, struct fault *fault)
{
    if (close_file(writer) == 0 && unlink(writer->path) == 0)
        return 0;
    (void)fault_system(fault, "cannot remove %s", writer->path);
    return fail(writer);
}

int spool_writer_cut(struct spool_writer *writer, struct fault *fault)
{
    writer->alarm.due = -1;
    if (writer->failed || !is_open(writer))
        return writer->failed ? -1 : 0;
    if (writer->rounds == 0)
        return remove_empty(writer, fault);
    if (writer_end(&writer->writer, writer->rounds, fault) < 0)
        return fail(writer);
    if (sync_file(writer->writer.pending.fd) < 0) {
        (void)fault_system(fault, "cannot write %s", writer->path);
        return fail(writer);
    }
    writer->ended = writer->file;
    writer->ended.last = writer->last;
    writer->unsynced = false;
    if (close_file(writer) < 0) {
        (void)fault_system(fault, "cannot write %s", writer->path);
        return fail(writer);
    }
    return name_ended(writer, fault);
}

/* Cuts the open file back to what is committed. 0 or a fault. */
static int cut_back(struct spool_writer *writer, struct fault *fault)
{
    int fd = writer->writer.pending.fd;
    writer->writer.pending.held = 0;
    writer->total -= writer->rounds - writer->kept.rounds;
    writer->rounds = writer->kept.rounds;
    writer->last = writer->kept.last;
    writer->unsynced = false;
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

void spool_writer_close(struct spool_writer *writer)
{
    struct fault ignored = { FAULT_NONE, "" };
    struct spool_salvaged salvaged;
    if (writer->lock && writer->lock_fd >= 0) {
        struct spool_file file = writer->file;
        if (is_open(writer)) {
            (void)close_file(writer);
            (void)spool_salvage(writer->folder, &file, &salvaged, &ignored);
        }
        lock_release(writer->lock, writer->lock_fd);
    }
    free(writer->lock);
    writer->lock = NULL;
}
