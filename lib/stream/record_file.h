/* record_file: a record written to a file of its own, of which any place can be written at any
 * time. Columns that are made of the same entries (struct column_source) are made in one walk
 * through these, and the CRC is computed on the way. Through a pipe each column takes a walk of its
 * own, and the CRC, which comes first, one more for each. */
#ifndef RANKPIPE_RECORD_FILE_H
#define RANKPIPE_RECORD_FILE_H

#include <stdbool.h>

#include "base/fault.h"
#include "stream/record.h"

/* Has the record columns that are made together? Others are written as fast by a writer. */
bool record_file_pays(const struct record *record);

/* Writes the record to an empty file, the bytes that writer_record writes, and leaves fd at the end
 * of it. `name` is for messages. 0 or a fault. */
int record_file_write(int fd, const char *name, const struct record *record, struct fault *fault);

#endif
