/* spool_folder: the files of a spool, a folder of streams that together are one log of rounds.
 *
 * A finished file NAME.FIRST-LAST.bin is a whole stream of rounds from FIRST to LAST, whose numbers
 * rise, and of which LAST is there. FIRST follows LAST of the file before, if there is one: so a
 * file that is missing between two others is noticed. The file that is still being written is
 * NAME.FIRST.open. Each number has 16 digits, so that names sort as numbers do. A folder holds the
 * logs of as many names as there are writers. */
#ifndef RANKPIPE_SPOOL_FOLDER_H
#define RANKPIPE_SPOOL_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "stream/record.h"

enum { SPOOL_NAME = 100, SPOOL_PATH = 4096 };
enum spooled { SPOOL_FAULT = -1, SPOOL_NONE, SPOOL_FOUND };

struct spool_file {
    char name[SPOOL_NAME + 1];
    uint64_t first, last; /* last: of a finished file */
    bool open;            /* still being written, or left by a writer that was killed */
};

/* May that be the name of a log: 1 to 100 bytes, without a slash, and not beginning with a dot? */
bool spool_name_valid(const char *name);

/* Writes the path of a file into `path`: 0, or a fault where it is too long. */
int spool_path(const char *folder, const struct spool_file *file, char path[SPOOL_PATH],
               struct fault *fault);

/* Finds the open file of that log that begins first, while nobody writes the log. */
enum spooled spool_find_open(const char *folder, const char *name, struct spool_file *found,
                             struct fault *fault);

/* Lists the finished files of that log by their first rounds, as struct spool_range [*count] in
 * `list`, while nobody writes the log. 0 or a fault. */
struct spool_range {
    uint64_t first, last;
};

int spool_list(const char *folder, const char *name, struct buffer *list, size_t *count,
               struct fault *fault);

/* The number of the last round in the finished files of that log (NULL: of all logs), 0 where there
 * are none, in *last. 0 or a fault. */
int spool_last(const char *folder, const char *name, uint64_t *last, struct fault *fault);

/* What was found in an open file that its writer did not finish. */
struct spool_salvaged {
    struct spool_file file; /* as it is named now */
    uint64_t rounds, lost;  /* whole rounds kept; bytes after them that were removed */
};

/* Finishes an open file that nobody writes any more: keeps its whole rounds, adds an end record,
 * syncs and renames it. A file without a whole round is removed. 0 or a fault. */
int spool_salvage(const char *folder, const struct spool_file *file,
                  struct spool_salvaged *salvaged, struct fault *fault);

/* Renames an open file, already synced, to that of a finished one whose last round is `last`, and
 * syncs the folder. 0 or a fault, after which it may be called again. */
int spool_finish(const char *folder, const struct spool_file *file, uint64_t last,
                 struct fault *fault);

#endif
