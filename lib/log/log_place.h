/* log_place: how far logs have been read: for each log its last round, and where in which file it
 * ends. In the file `place` of a generation, a line for each log:
 *
 *     folder TAB name TAB last TAB first TAB rounds TAB byte
 *
 * `last` is the number of the last round that was read, 0: none. The file whose first round is
 * `first` was read up to `byte`, and has `rounds` rounds before that. */
#ifndef RANKPIPE_LOG_PLACE_H
#define RANKPIPE_LOG_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "log/spool_folder.h"

struct log_place {
    char folder[SPOOL_PATH], name[SPOOL_NAME + 1];
    uint64_t last, first, rounds, byte;
};

struct log_places { /* all zero at first: of no log */
    struct buffer list; /* struct log_place *[count] */
    size_t count;
};

/* The place in that log, or NULL. */
struct log_place *log_places_find(const struct log_places *places, const char *folder,
                                  const char *name);

/* Sets the place in its log, which is added if it is not known. 0 or a fault. */
int log_places_set(struct log_places *places, const struct log_place *place, struct fault *fault);

/* Reads the file `place` in a folder: 1; 0 where there is none; or a fault. */
int log_places_read(struct log_places *places, const char *folder, struct fault *fault);

/* Writes it: 0 or a fault. */
int log_places_write(const struct log_places *places, const char *folder, struct fault *fault);

void log_places_close(struct log_places *places);

#endif
