/* spool_writer: writes rounds into a folder as whole streams, a file after the other, and knows the
 * requests of the last 10^5: a request that comes again is answered by the round that is stored.
 *
 *     if (spool_writer_open(&log, watch, &salvaged, fault) < 0 ||
 *         spool_writer_remember(&log, watch, fault) < 0)       // where requests may come again
 *         return -1;
 *     if (spool_writer_find(&log, round, fault) == SPOOL_NONE) // else `round` is the stored one
 *         return spool_writer_put(&log, round, fault); */
#ifndef RANKPIPE_SPOOL_WRITER_H
#define RANKPIPE_SPOOL_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/siphash.h"
#include "io/watch.h"
#include "log/spool_folder.h"
#include "stream/reader.h"
#include "stream/record.h"
#include "stream/round.h"
#include "stream/writer.h"

struct request_place;

struct spool_writer { /* all zero at first, but the first nine */
    const char *folder, *name; /* the caller's */
    uint64_t every;            /* rounds of a file */
    uint64_t seconds;          /* for which a file is open; 0: no limit */
    bool syncs;                /* commit also syncs the file */
    int (*outlive)(void *to, struct fault *fault); /* may forgive a failure at opening or by alarm:
                                * 0; or -1, with the fault as it was */
    void (*warn)(void *to, const char *text); /* hears of a damaged file of the log */
    void *to;
    int lock_fd;               /* -1 */

    char lock[SPOOL_PATH];     /* path of the lock file */
    struct spool_file file;    /* the open file; its name empty: none is open */
    char path[SPOOL_PATH];     /* of that */
    struct writer writer;
    uint64_t rounds;           /* of the open file */
    uint64_t last;             /* the last round of the log; 0: none */
    uint64_t total;            /* rounds put, less those taken back, since it was opened */
    struct spool_kept {        /* the open file as of the last commit that succeeded */
        uint64_t rounds, last, bytes;
    } kept;
    struct spool_file ended;   /* whole and closed, but without its finished name; none if empty */
    bool salvaged;             /* no file is left that a killed writer had left open */
    struct watch_alarm alarm;  /* when the open file is to be cut */
    bool unsynced, failed;     /* bytes were written since the last sync; a write has failed */
    bool named;                /* the name of the open file is on the disk */

    struct { /* where requests are: 32 bytes each, and 1 MB; `head` NULL: nobody asks */
        struct siphash start;
        struct request_place *place; /* a ring; place number k is place[k % its size] */
        uint64_t *head;              /* of each bucket: its newest place; 0: none */
        uint64_t added, kept;        /* numbers of the last place, and of the last committed one */
        struct buffer list;          /* files of the log, struct spool_range [files] */
        size_t files;                /* where `last` is 0, it is or was the open one */
        uint64_t last;               /* the round put last */
        struct record *record;       /* to look into files */
        struct reader reader;        /* holds the payload of the round found last */
    } requests;
};

/* Creates the folder, if its parent exists, now and whenever it is gone; locks the log, so that it
 * has one writer; and salvages the file that a killed writer left open. While `watch` waits it cuts
 * files whose time is over. To be closed in either case, when nothing waits any more.
 *   0   *salvaged is about that file, and has an empty name if there was none
 *   -1  a fault */
int spool_writer_open(struct spool_writer *writer, struct watch *watch,
                      struct spool_salvaged *salvaged, struct fault *fault);

/* Reads the files that hold the log's last 10^5 rounds, whose requests are known from then on. 0 or
 * a fault. O(their bytes): for 10^5 rounds of 20 documents with 46 features a fifth of a second of
 * processor time. */
int spool_writer_remember(struct spool_writer *writer, struct watch *watch, struct fault *fault);

/* Looks for the request of a round.
 *   SPOOL_NONE   it is not known
 *   SPOOL_FOUND  the round and its record are now those of the log, valid until the next call
 *   SPOOL_FAULT  the stored round has another query, so its answer would be about other documents;
 *                or it is damaged */
enum spooled spool_writer_find(struct spool_writer *writer, struct round *round,
                               struct fault *fault);

/* Adds a round, whose t is above `last`, to the open file, or to a new one. 0 or a fault. A file of
 * `every` rounds is finished at once, and one whose time is over before the round. What the
 * record's splice holds stays there: the payload must be in memory too. */
int spool_writer_put(struct spool_writer *writer, struct round *round, struct fault *fault);

/* Hands all rounds so far to the system, and with `syncs` to the disk. 0 or a fault. After a failed
 * write every call fails, until spool_writer_take_back. */
int spool_writer_commit(struct spool_writer *writer, struct fault *fault);

/* Undoes, after a fault of a call above or below, what is not committed: the log can be written
 * again. 0; or a fault of the system, after which it is to be called again. */
int spool_writer_take_back(struct spool_writer *writer, struct fault *fault);

/* Ends the open file, if there is one, syncs it and gives it its finished name. 0 or a fault. */
int spool_writer_cut(struct spool_writer *writer, struct fault *fault);

/* Frees memory and ends the lock. A file that is still open because a write failed is salvaged if
 * the disk lets it be; else the next spool_writer_open does so. */
void spool_writer_close(struct spool_writer *writer);

#endif
