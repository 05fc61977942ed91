/* spool_fetch: reads single rounds of logs, from where they are stored. */
#ifndef RANKPIPE_SPOOL_FETCH_H
#define RANKPIPE_SPOOL_FETCH_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "log/spool_folder.h"
#include "stream/reader.h"
#include "stream/record.h"

struct spool_fetch { /* all zero at first */
    struct buffer logs; /* struct fetched_log *[count]: their finished files, listed once */
    size_t count;
    bool open;          /* the file read last is open: */
    int fd;
    char path[SPOOL_PATH];
    struct reader reader;
};

/* Reads the record that spool_reader_stored has named FOLDER/NAME.FIRST+BYTE, valid until the next
 * call. SPOOL_NONE: there is no such file any more. A fault: FAULT_DATA, about what is there. */
enum spooled spool_fetch(struct spool_fetch *fetch, const char *stored, struct record *record,
                         struct fault *fault);

void spool_fetch_close(struct spool_fetch *fetch);

#endif
