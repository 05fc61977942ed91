#include "log/spool_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/watch.h"

/* The key of a round that was erased in place, with nothing else in it but its number. */
#define ERASED "x-erased"

static struct spool_log **logs(const struct spool_reader *reader)
{
    return reader->logs.at;
}

/* ---- the logs ---- */

static bool known(const struct spool_reader *reader, const char *folder, const char *name)
{
    for (size_t i = 0; i < reader->count; i++)
        if (logs(reader)[i]->folder == folder && strcmp(logs(reader)[i]->name, name) == 0)
            return true;
    return false;
}

static int add_log(struct spool_reader *reader, const char *folder, const char *name,
                   struct fault *fault)
{
    struct spool_log **all = buffer_for(&reader->logs, reader->count + 1, sizeof *all, fault);
    struct spool_log *log = all ? calloc(1, sizeof *log) : NULL;
    if (!log)
        return all ? fault_no_room(fault, sizeof *log) : -1;
    log->folder = folder;
    stpncpy(log->name, name, SPOOL_NAME);
    log->from = reader->first ? reader->first : 1;
    log->fd = -1;
    all[reader->count++] = log;
    return 0;
}

/* Adds the logs of a folder that are not known yet. 1; 0 where it has no log that is wanted; or a
 * fault. */
static int look_into(struct spool_reader *reader, const char *folder, struct fault *fault)
{
    char name[SPOOL_NAME + 1] = "";
    int got, any = 0;
    if (reader->name && known(reader, folder, reader->name))
        return 1;
    while ((got = spool_next_name(folder, name, fault)) > 0) {
        if (reader->name && strcmp(reader->name, name) != 0)
            continue;
        any = 1;
        if (!known(reader, folder, name) && add_log(reader, folder, name, fault) < 0) return -1;
    }
    return got < 0 ? -1 : any;
}

int spool_reader_open(struct spool_reader *reader, struct fault *fault)
{
    for (char *const *folder = reader->folders; *folder; folder++) {
        int any = look_into(reader, *folder, fault);
        if (any < 0) return -1;
        if (any == 0 && !reader->follows)
            return fault_other(fault, "%s: no log%s%s in this folder", *folder,
                               reader->name ? " named " : "", reader->name ? reader->name : "");
    }
    return 0;
}

static void close_file(struct spool_log *log)
{
    if (log->fd < 0)
        return;
    close(log->fd);
    reader_close(&log->reader);
    log->fd = -1;
}

void spool_reader_close(struct spool_reader *reader)
{
    for (size_t i = 0; i < reader->count; i++) {
        close_file(logs(reader)[i]);
        buffer_free(&logs(reader)[i]->list);
        free(logs(reader)[i]);
    }
    buffer_free(&reader->logs);
    reader->count = 0;
}

/* ---- a log ---- */

/* Finds the file that has the next rounds, in the list or in the folder. */
static enum spooled find_file(struct spool_log *log, struct fault *fault)
{
    if (log->next == log->listed) {
        log->next = log->listed = 0;
        if (spool_list(log->folder, log->name, log->from, &log->list, &log->listed, fault) < 0)
            return SPOOL_FAULT;
    }
    if (log->next == log->listed)
        return spool_find(log->folder, log->name, log->from, &log->file, fault);
    const struct spool_range *range = (struct spool_range *)log->list.at + log->next++;
    log->file.open = false;
    log->file.first = range->first;
    log->file.last = range->last;
    stpncpy(log->file.name, log->name, SPOOL_NAME);
    return SPOOL_FOUND;
}

/* Opens the file that has the next rounds. */
static enum spooled open_file(struct spool_log *log, struct fault *fault)
{
    for (;;) {
        enum spooled found = find_file(log, fault);
        if (found != SPOOL_FOUND)
            return found;
        if (log->file.open && log->file.first == log->ended)
            return SPOOL_NONE; /* a file with an end record is about to be renamed */
        if (spool_path(log->folder, &log->file, log->path, fault) < 0)
            return SPOOL_FAULT;
        log->fd = watch_open(NULL, log->path, O_RDONLY, 0, fault);
        if (log->fd >= 0)
            break;
        if (errno != ENOENT || !log->file.open) /* else it was renamed since it was found */
            return fault_system(fault, "cannot open %s", log->path);
    }
    reader_open(&log->reader, log->fd, log->path, NULL);
    return SPOOL_FOUND;
}

/* Has the open file been removed, because it held no whole round? */
static bool removed(const struct spool_log *log)
{
    struct stat is;
    return fstat(log->fd, &is) == 0 && is.st_nlink == 0;
}

/* Goes back to the end of the last whole record, because what follows it may still be removed. */
static int unread_rest(struct spool_log *log, struct fault *fault)
{
    struct reader *reader = &log->reader;
    if (lseek(log->fd, -(off_t)(reader->until - reader->from), SEEK_CUR) < 0)
        return fault_system(fault, "cannot read %s", log->path);
    reader->offset -= reader->until - reader->from; /* these bytes are read again */
    reader->from = reader->until;
    return 0;
}

/* The file has no whole record any more: no fault where it is still open. */
static enum spooled at_cut(struct spool_log *log, struct fault *fault)
{
    if (fault->kind != FAULT_CUT || !log->file.open) {
        if (fault->kind == FAULT_CUT)
            fault->kind = FAULT_DATA;
        return SPOOL_FAULT;
    }
    *fault = (struct fault){ FAULT_NONE, "" };
    if (unread_rest(log, fault) < 0)
        return SPOOL_FAULT;
    if (removed(log))
        close_file(log);
    return SPOOL_NONE;
}

/* Is the first key none that a damaged crc= turned into? */
static bool first_known(const struct record *record)
{
    return record->keys &&
           (name_is(record->key[0].name, "t") || name_begins(record->key[0].name, "x-"));
}

/* Checks a record. SPOOL_NONE: it is a round before those wanted, or one that was erased. */
static enum spooled check_round(struct spool_log *log, const struct record *record,
                                struct fault *fault)
{
    uint64_t t;
    const char *text = record_key(record, "t");
    if (record->kind != RECORD_ROUND || !first_known(record) || !text ||
        !record_number(text, RECORD_MOST - 1, &t))
        return fault_data(fault, "%s: not a round", log->path);
    if (t < log->file.first || (!log->file.open && t > log->file.last))
        return fault_data(fault, "%s: it holds round %" PRIu64 ", which is outside the range in "
                          "its name", log->path, t);
    if (t < log->from)
        return SPOOL_NONE;
    log->from = t + 1;
    return record_key(record, ERASED) ? SPOOL_NONE : SPOOL_FOUND;
}

/* The file was read to its end record. */
static void end_file(struct spool_log *log)
{
    close_file(log);
    if (log->file.open)
        log->ended = log->file.first;
    else if (log->from <= log->file.last)
        log->from = log->file.last + 1;
    log->due = log->from;
}

/* A file was opened: reports the rounds that are missing before it. */
static void find_gap(const struct spool_reader *reader, struct spool_log *log)
{
    bool gap = log->due > 0 && log->file.first > log->due;
    if (gap && reader->gap)
        reader->gap(reader->self, log, log->due, log->file.first - 1);
    if (gap)
        log->due = log->file.first;
}

/* The next round of a log. */
static enum spooled next_round(const struct spool_reader *reader, struct spool_log *log,
                               struct record *record, struct fault *fault)
{
    for (;;) {
        enum spooled found = log->fd >= 0 ? SPOOL_FOUND : open_file(log, fault);
        if (found != SPOOL_FOUND)
            return found;
        find_gap(reader, log);
        int got = reader_next(&log->reader, record, fault);
        if (got < 0)
            return at_cut(log, fault);
        found = got > 0 ? check_round(log, record, fault) : SPOOL_NONE;
        if (found != SPOOL_NONE)
            return found;
        if (log->reader.ended)
            end_file(log);
    }
}

enum spooled spool_reader_next(struct spool_reader *reader, struct record *record,
                               struct fault *fault)
{
    while (reader->dry < reader->count) {
        if (reader->at >= reader->count)
            reader->at = 0;
        enum spooled got = next_round(reader, logs(reader)[reader->at], record, fault);
        if (got != SPOOL_NONE) {
            reader->dry = 0;
            return got;
        }
        reader->at++;
        reader->dry++;
    }
    if (!reader->follows)
        return SPOOL_NONE;
    reader->dry = 0;
    for (char *const *folder = reader->folders; *folder; folder++)
        if (look_into(reader, *folder, fault) < 0)
            return SPOOL_FAULT;
    return SPOOL_NONE;
}

int spool_reader_last(const char *folder, const char *name, struct record *record, uint64_t *last,
                      struct fault *fault)
{
    char *const folders[] = { (char *)folder, NULL };
    *last = 0;
    if (access(folder, F_OK) < 0 && errno == ENOENT)
        return 0;
    if (spool_last(folder, name, last, fault) < 0) return -1;
    struct spool_reader reader = { .folders = folders, .name = name, .first = *last + 1,
                                   .follows = true };
    int got = spool_reader_open(&reader, fault);
    while (got >= 0 && (got = spool_reader_next(&reader, record, fault)) > 0)
        (void)record_number(record_key(record, "t"), RECORD_MOST, last);
    spool_reader_close(&reader);
    return got;
}
