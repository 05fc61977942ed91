#include "log/spool_fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/watch.h"

enum { READ = 65536 }; /* bytes read at once: a round, and few after it */

struct fetched_log {
    char folder[SPOOL_PATH], name[SPOOL_NAME + 1];
    struct buffer files; /* struct spool_range [count] */
    size_t count;
    bool listed, again; /* they were listed; and once more */
};

/* Where a round is. */
struct stored {
    char folder[SPOOL_PATH];
    struct spool_file file;
    uint64_t byte;
};

/* Takes FOLDER/NAME.FIRST+BYTE apart. False where it is nothing such. */
static bool read_stored(const char *text, struct stored *stored)
{
    const char *slash = strrchr(text, '/'), *plus = strrchr(text, '+');
    const char *dot = plus && plus - text > 17 ? plus - 17 : NULL;
    if (!slash || !dot || dot < slash + 2 || *dot != '.' || (size_t)(slash - text) >= SPOOL_PATH ||
        dot - slash > SPOOL_NAME || strspn(dot + 1, "0123456789") != 16 ||
        !record_number(plus + 1, RECORD_MOST, &stored->byte))
        return false;
    memcpy(stored->folder, text, (size_t)(slash - text));
    memcpy(stored->file.name, slash + 1, (size_t)(dot - slash - 1));
    stored->file.first = strtoull(dot + 1, NULL, 10);
    return spool_name_valid(stored->file.name);
}

/* ---- the files of a log ---- */

static struct fetched_log *find_log(const struct spool_fetch *fetch, const struct stored *stored)
{
    struct fetched_log **all = fetch->logs.at;
    for (size_t i = 0; i < fetch->count; i++)
        if (strcmp(all[i]->folder, stored->folder) == 0 &&
            strcmp(all[i]->name, stored->file.name) == 0)
            return all[i];
    return NULL;
}

/* Adds a log, whose files are not listed yet; or NULL and a fault. */
static struct fetched_log *add_log(struct spool_fetch *fetch, const struct stored *stored,
                                   struct fault *fault)
{
    struct fetched_log **all = buffer_for(&fetch->logs, fetch->count + 1, sizeof *all, fault);
    struct fetched_log *log = all ? calloc(1, sizeof *log) : NULL;
    if (!log) {
        if (all)
            fault_no_room(fault, sizeof *log);
        return NULL;
    }
    all[fetch->count++] = log;
    strcpy(log->folder, stored->folder);
    strcpy(log->name, stored->file.name);
    return log;
}

/* A folder that has gone has no files. */
static int list_files(struct fetched_log *log, struct fault *fault)
{
    log->again = log->listed;
    log->listed = true;
    log->count = 0;
    if (access(log->folder, F_OK) < 0 && errno == ENOENT)
        return 0;
    return spool_list(log->folder, log->name, 1, &log->files, &log->count, fault);
}

static int by_first(const void *a, const void *b)
{
    const struct spool_range *one = a, *other = b;
    return (one->first > other->first) - (one->first < other->first);
}

/* Completes stored->file as the folder has it. 0 or a fault. */
static int find_file(struct fetched_log *log, struct stored *stored, struct fault *fault)
{
    const struct spool_range wanted = { stored->file.first, 0 }, *found = NULL;
    if (!log->listed && list_files(log, fault) < 0)
        return -1;
    if (log->count)
        found = bsearch(&wanted, log->files.at, log->count, sizeof wanted, by_first);
    stored->file.open = !found;
    stored->file.last = found ? found->last : 0;
    return 0;
}

/* ---- a record ---- */

static void close_file(struct spool_fetch *fetch)
{
    if (!fetch->open)
        return;
    reader_close(&fetch->reader);
    close(fetch->fd);
    fetch->open = false;
}

/* Opens the file, unless it is open. */
static enum spooled open_file(struct spool_fetch *fetch, const struct stored *stored,
                              struct fault *fault)
{
    char path[SPOOL_PATH];
    if (spool_path(stored->folder, &stored->file, path, fault) < 0)
        return SPOOL_FAULT;
    if (fetch->open && strcmp(path, fetch->path) == 0)
        return SPOOL_FOUND;
    close_file(fetch);
    fetch->fd = watch_open(NULL, path, O_RDONLY, 0, fault);
    if (fetch->fd < 0 && errno == ENOENT)
        return SPOOL_NONE;
    if (fetch->fd < 0)
        return fault_system(fault, "cannot open %s", path);
    strcpy(fetch->path, path);
    reader_open(&fetch->reader, fetch->fd, fetch->path, NULL);
    fetch->reader.read_most = READ;
    fetch->open = true;
    return SPOOL_FOUND;
}

/* Opens the file of a round. One that was open when its log was listed may have been renamed
 * since. */
static enum spooled open_stored(struct spool_fetch *fetch, struct stored *stored,
                                struct fault *fault)
{
    struct fetched_log *log = find_log(fetch, stored);
    if (!log && !(log = add_log(fetch, stored, fault)))
        return SPOOL_FAULT;
    for (;;) {
        if (find_file(log, stored, fault) < 0)
            return SPOOL_FAULT;
        enum spooled found = open_file(fetch, stored, fault);
        if (found != SPOOL_NONE || log->again)
            return found;
        if (list_files(log, fault) < 0)
            return SPOOL_FAULT;
    }
}

enum spooled spool_fetch(struct spool_fetch *fetch, const char *text, struct record *record,
                         struct fault *fault)
{
    struct stored stored = { .byte = 0 };
    if (!read_stored(text, &stored))
        return fault_data(fault, "not where a round is stored: '%.60s'", text);
    enum spooled found = open_stored(fetch, &stored, fault);
    if (found != SPOOL_FOUND)
        return found;
    if (lseek(fetch->fd, (off_t)stored.byte, SEEK_SET) < 0)
        return fault_system(fault, "cannot read %s", fetch->path);
    fetch->reader.from = fetch->reader.until = 0;
    fetch->reader.offset = stored.byte;
    int got = reader_next(&fetch->reader, record, fault);
    if (got > 0)
        return SPOOL_FOUND;
    if (got == 0)
        (void)fault_data(fault, "%s: no round at byte %" PRIu64, fetch->path, stored.byte);
    if (fault->kind == FAULT_CUT)
        fault->kind = FAULT_DATA;
    return SPOOL_FAULT;
}

void spool_fetch_close(struct spool_fetch *fetch)
{
    struct fetched_log **all = fetch->logs.at;
    close_file(fetch);
    for (size_t i = 0; i < fetch->count; i++) {
        buffer_free(&all[i]->files);
        free(all[i]);
    }
    buffer_free(&fetch->logs);
    fetch->count = 0;
}
