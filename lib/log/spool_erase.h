/* spool_erase: erases rounds in the files of a log, in place. An erased round leaves its number and
 * its length, so that the places of all others, and what follows from the numbers, stay right:
 *
 *     rankpipe/1 round crc=CRC t=N x-erased=1 cols=none:u1[K] bytes=K
 *
 * and K zeros. spool_reader passes such rounds over. */
#ifndef RANKPIPE_SPOOL_ERASE_H
#define RANKPIPE_SPOOL_ERASE_H

#include <stdbool.h>

#include "base/fault.h"
#include "stream/record.h"

#define SPOOL_ERASED "x-erased"

/* Is this record to be erased? It is bound to its payload. */
typedef bool spool_erases(void *self, const struct record *record);

/* Erases what `erases` says in each file of all logs of a folder, also in one that is being
 * written, up to its last whole round, removes its index (request_file.h), and syncs the files. A
 * second call finds nothing. 0; or a fault: rounds before it are erased. O(bytes of the log). */
int spool_erase(const char *folder, spool_erases *erases, void *self, struct fault *fault);

#endif
