/* spool_writer: writes rounds into a folder as whole streams, a file after the other. */
#ifndef RANKPIPE_SPOOL_WRITER_H
#define RANKPIPE_SPOOL_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "io/watch.h"
#include "stream/record.h"
#include "log/spool_folder.h"
#include "stream/writer.h"

struct spool_writer { /* all zero at first, but the first seven */
    const char *folder, *name; /* the caller's */
    uint64_t every;            /* rounds of a file; 0: no limit */
    uint64_t seconds;          /* for which a file is open; 0: no limit */
    bool syncs;                /* commit also syncs the file */
    int (*outlive)(void *to, struct fault *fault); /* may forgive a failure at opening or by alarm:
                                * 0; or -1, with the fault as it was; NULL: never */
    void *to;

    char *lock; /* path of the lock file */
    int lock_fd;
    struct spool_file file; /* the open file; its name empty: none is open */
    char path[SPOOL_PATH];  /* of that */
    struct writer writer;
    uint64_t rounds;     /* of the open file */
    uint64_t last;       /* the last round of the log; 0: none */
    uint64_t total;      /* rounds put, less those taken back, since it was opened */
    struct spool_kept {  /* the open file as of the last commit that succeeded */
        uint64_t rounds, last, bytes;
    } kept;
    struct spool_file ended; /* whole and closed, but without its finished name; none if empty */
    bool salvaged;       /* no file is left that a killed writer had left open */
    struct watch_alarm alarm; /* when the open file is to be cut */
    bool unsynced, failed; /* bytes were written since the last sync; a write has failed */
    bool named;            /* the name of the open file is on the disk */
};

/* Creates the folder, if its parent exists, now and whenever it is gone; locks the log, so that it
 * has one writer; and salvages the file that a killed writer left open: *salvaged is about it, and
 * has an empty name if there was none. While `watch` waits it cuts files whose time is over. 0 or a
 * fault; to be closed either way, when nothing waits any more. */
int spool_writer_open(struct spool_writer *writer, struct watch *watch,
                      struct spool_salvaged *salvaged, struct fault *fault);

struct spool_place { /* of a round: the first round of its file, and the byte where it begins */
    uint64_t first, offset;
};

/* Adds a round, whose t is above `last`, to the open file, or to a new one. A file of `every`
 * rounds is finished at once, and one whose time is over before the round. What the record's splice
 * holds stays there: the payload must be in memory too. place NULL: not asked for. 0 or a fault. */
int spool_writer_put(struct spool_writer *writer, struct record *record, uint64_t t,
                     struct spool_place *place, struct fault *fault);

/* Hands all rounds so far to the system, so that they can be read. 0 or a fault, as of commit. */
int spool_writer_flush(struct spool_writer *writer, struct fault *fault);

/* Hands all rounds so far to the system, and with `syncs` to the disk. 0 or a fault; after a failed
 * write every call fails, until spool_writer_take_back. */
int spool_writer_commit(struct spool_writer *writer, struct fault *fault);

/* After a fault of a call above or below: the log is again as of the last commit that succeeded,
 * and can be written. 0; or a fault of the system, after which it is to be called again. */
int spool_writer_take_back(struct spool_writer *writer, struct fault *fault);

/* Ends the open file, if there is one, syncs it and renames it to its finished name. 0 or a
 * fault. */
int spool_writer_cut(struct spool_writer *writer, struct fault *fault);

/* Frees memory and ends the lock. A file that is still open because a write failed is salvaged if
 * the disk lets it be; else the next spool_writer_open does so. */
void spool_writer_close(struct spool_writer *writer);

#endif
