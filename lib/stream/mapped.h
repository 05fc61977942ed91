/* mapped: the stream in a file, mapped where that can be done, so that it is read in place. */
#ifndef RANKPIPE_MAPPED_H
#define RANKPIPE_MAPPED_H

#include <stddef.h>
#include <sys/types.h>

#include "base/fault.h"
#include "io/watch.h"
#include "stream/reader.h"

struct mapped { /* all zero at first */
    struct reader reader; /* reads the stream, and keeps all of it in memory */
    void *map;            /* of a regular file; NULL: the reader's buffer has the stream */
    size_t bytes;         /* of the map */
    dev_t device;         /* of the file */
    ino_t inode;
};

/* Makes ready to read the stream at `fd`, which may be closed once it has been read to its end;
 * name and watch are borrowed. A regular file that is at its beginning is mapped, on
 * little-endian machines. 0 or a fault; to
 * be closed either way. */
int mapped_open(struct mapped *mapped, int fd, const char *name, struct watch *watch,
                struct fault *fault);

/* Is the mapped file as long as it was? What was cut off reads as zeros, or ends the program by
 * SIGBUS. 0; or a fault. A file of another name, or in its place, is of no matter. */
int mapped_unchanged(const struct mapped *mapped, struct fault *fault);

/* Forgets the stream, and all that points into it. */
void mapped_close(struct mapped *mapped);

#endif
