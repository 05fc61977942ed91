#include "log/spool_erase.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/sync.h"
#include "io/watch.h"
#include "log/request_file.h"
#include "log/spool_folder.h"
#include "stream/header.h"
#include "stream/reader.h"

/* Bytes of the key crc= with its blank; most digits of the mark. */
enum { CRC = sizeof " crc=01234567" - 1, MARKS = 8 };

/* Makes the erased round of `length` bytes in `bytes`: true, or false where that is too short. A
 * longer mark makes up for a number that has a digit less. */
static bool make(struct record *record, uint64_t t, char *bytes, size_t length,
                 struct fault *fault)
{
    static const char marks[] = "11111111";
    for (size_t mark = 1; mark <= MARKS; mark++) {
        size_t n = 0, zeros = 0;
        for (int tries = 0; tries < 4; tries++) {
            record_start(record, RECORD_ROUND);
            if (record_set_number(record, 0, "t", t, fault) < 0 ||
                record_set(record, 1, SPOOL_ERASED, marks + MARKS - mark, fault) < 0 ||
                record_put(record, "none", COLUMN_U1, zeros, bytes + RECORD_LINE, fault) < 0 ||
                header_print(record, bytes, &n, fault) < 0 || n + CRC > length)
                return false;
            if (n + CRC + zeros == length)
                break;
            zeros = length - n - CRC;
        }
        if (n + CRC + zeros != length)
            continue;
        memset(bytes + RECORD_LINE, 0, zeros);
        record_want_crc(record);
        if (header_print(record, bytes, &n, fault) < 0)
            return false;
        memmove(bytes + n, bytes + RECORD_LINE, zeros);
        return n + zeros == length;
    }
    return false;
}

/* 0, or -1 with errno. */
static int write_at(int fd, const char *bytes, size_t n, uint64_t at)
{
    for (size_t done = 0; done < n;) {
        ssize_t put = pwrite(fd, bytes + done, n - done, (off_t)(at + done));
        if (put < 0 && errno != EINTR)
            return -1;
        done += put > 0 ? (size_t)put : 0;
    }
    return 0;
}

/* Writes an erased round over the `length` bytes at `at`. 0 or a fault. */
static int overwrite(int fd, const char *path, uint64_t at, size_t length, uint64_t t,
                     struct fault *fault)
{
    char *bytes = malloc(RECORD_LINE + 1 + length);
    struct record *record = malloc(sizeof *record);
    int result = 0;
    if (!bytes || !record)
        result = fault_no_room(fault, RECORD_LINE + length + sizeof *record);
    else if (!make(record, t, bytes, length, fault))
        result = fault_other(fault, "%s: round %" PRIu64 " is too short to be erased", path, t);
    else if (write_at(fd, bytes, length, at) < 0)
        result = fault_system(fault, "round %" PRIu64 " may be damaged, and salvage reads the "
                              "others: cannot write %s", t, path);
    free(bytes);
    free(record);
    return result;
}

/* In an open file, up to its last whole round. Its index, which names requests, goes first: it is
 * made again without those that are erased. 0 or a fault. */
static int erase_rounds(int fd, const char *path, const char *folder,
                        const struct spool_file *file, spool_erases *erases, void *self,
                        struct fault *fault)
{
    struct reader reader;
    uint64_t t;
    struct fault damage = { FAULT_NONE, "" };
    struct record *record = malloc(sizeof *record);
    if (!record)
        return fault_no_room(fault, sizeof *record);
    reader_open(&reader, fd, path, NULL);
    int result = 0;
    while (result == 0 && reader_next(&reader, record, &damage) > 0) {
        const char *number = record_key(record, "t");
        if (record->kind != RECORD_ROUND || !number || record_key(record, SPOOL_ERASED) ||
            !record_number(number, RECORD_MOST, &t) || !erases(self, record))
            continue;
        result = request_file_remove(folder, file->name, file->first, fault);
        if (result == 0)
            result = overwrite(fd, path, reader.offset + reader.at, reader.from - reader.at, t,
                               fault);
    }
    reader_close(&reader);
    free(record);
    if (result == 0 && damage.kind != FAULT_NONE && damage.kind != FAULT_CUT)
        result = fault_set(fault, damage.kind, "%s", damage.text);
    return result;
}

/* The same in one file. */
static int erase_file(const char *folder, const struct spool_file *file, const char *path,
                      spool_erases *erases, void *self, struct fault *fault)
{
    int fd = watch_open(NULL, path, O_RDWR, 0, fault);
    if (fd < 0)
        return fault_system(fault, "cannot open %s", path);
    int result = erase_rounds(fd, path, folder, file, erases, self, fault);
    if (result == 0 && sync_file(fd) < 0)
        result = fault_system(fault, "cannot write %s", path);
    close(fd);
    return result;
}

/* Finds the next file of a log that has rounds from `from` on, and erases in it. */
static enum spooled erase_next(const char *folder, const char *name, uint64_t *from,
                               spool_erases *erases, void *self, struct fault *fault)
{
    char path[SPOOL_PATH];
    struct spool_file file;
    enum spooled found = spool_find(folder, name, *from, &file, fault);
    if (found != SPOOL_FOUND)
        return found;
    if (spool_path(folder, &file, path, fault) < 0)
        return SPOOL_FAULT;
    if (file.open && access(path, F_OK) < 0) /* finished since */
        return SPOOL_FOUND;
    *from = file.last + 1;
    if (erase_file(folder, &file, path, erases, self, fault) < 0)
        return SPOOL_FAULT;
    return file.open ? SPOOL_NONE : SPOOL_FOUND;
}

int spool_erase(const char *folder, spool_erases *erases, void *self, struct fault *fault)
{
    char name[SPOOL_NAME + 1] = "";
    enum spooled got;
    while ((got = spool_next_name(folder, name, fault)) == SPOOL_FOUND) {
        uint64_t from = 1;
        while ((got = erase_next(folder, name, &from, erases, self, fault)) == SPOOL_FOUND)
            continue;
        if (got == SPOOL_FAULT)
            return -1;
    }
    return got == SPOOL_FAULT ? -1 : 0;
}
