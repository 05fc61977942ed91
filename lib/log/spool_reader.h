/* spool_reader: reads the files of spools, one after the other, as one stream of rounds, also while
 * they are being written. */
#ifndef RANKPIPE_SPOOL_READER_H
#define RANKPIPE_SPOOL_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "stream/reader.h"
#include "stream/record.h"
#include "log/spool_folder.h"

struct spool_log { /* the log of one name in one folder */
    const char *folder;
    char name[SPOOL_NAME + 1];
    uint64_t from;          /* number of the next round, or of one before it */
    uint64_t due;           /* the next file begins at this number, or before; 0: not known */
    uint64_t ended;         /* first round of an open file that was read to its end record; or 0 */
    struct buffer list;     /* finished files, struct spool_range; those from `next` to `listed` */
    size_t next, listed;    /* are still to be read */
    int fd;                 /* of the file being read, or -1 */
    struct spool_file file; /* as it was named when it was opened */
    struct reader reader;
    char path[SPOOL_PATH];
};

struct spool_reader {
    char *const *folders; /* ended by NULL; the caller's      */
    const char *name;     /* of the only logs; NULL: all      */
    uint64_t first;       /* number of the first round wanted */
    bool follows;         /* files that are still being written are awaited by the caller */
    void (*gap)(void *self, const struct spool_log *log, uint64_t from, uint64_t to); /* called for
                           * rounds whose file is missing between others; NULL: nothing is    */
    void *self;
    struct buffer logs;   /* struct spool_log *[count] */
    size_t count, at, dry; /* the log being read; logs in a row that have nothing now */
};

/* Finds the logs in the folders: first by the order of folders, then by name. 0, or a fault, as
 * where a folder has no log of that name and the reader does not follow. */
int spool_reader_open(struct spool_reader *reader, struct fault *fault);

/* Reads the next round, each log to its end before the next one. An open file ends after its last
 * whole round. SPOOL_FOUND: a round, whose payload is valid until the next call. SPOOL_NONE: there
 * is none now; where the reader follows, a later call may find more. SPOOL_FAULT: a finished file
 * is cut or damaged, or its rounds do not rise. */
enum spooled spool_reader_next(struct spool_reader *reader, struct record *record,
                               struct fault *fault);

void spool_reader_close(struct spool_reader *reader);

/* The number of the last round of a log, also in a file that is still being written; 0 where there
 * is no round, no log or no folder. `record` is used. 0 or a fault. */
int spool_reader_last(const char *folder, const char *name, struct record *record, uint64_t *last,
                      struct fault *fault);

#endif
