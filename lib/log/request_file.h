/* request_file: the index of one file of a log: where the rounds begin that have a request.
 *
 * NAME.FIRST.index is text: a line "OFFSET REQUEST" for each such round of NAME.FIRST-LAST.bin, and
 * at its end "end rounds=ROUNDS bytes=BYTES crc=CRC" with the rounds and bytes of that file and
 * the CRC-32C of all up to " crc=". It is made again from the log where it is missing, has no end,
 * or is about a file of another size. So nothing here is a fault. */
#ifndef RANKPIPE_REQUEST_FILE_H
#define RANKPIPE_REQUEST_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "log/spool_folder.h"
#include "stream/writer.h"

struct request_file { /* being written; all zero: none */
    bool open;
    struct writer writer;
    uint32_t crc;
    uint64_t rounds;
    char path[SPOOL_PATH];
};

/* Begins the index of the file of a log whose first round is `first`. Where it cannot be written,
 * the next two do nothing. */
void request_file_begin(struct request_file *file, const char *folder, const char *name,
                        uint64_t first);

/* Adds a round, which begins at byte `offset`; request NULL: it has none. */
void request_file_add(struct request_file *file, uint64_t offset, const char *request);

/* Ends the index of a file of so many bytes; 0: removes it, because it is not whole. */
void request_file_end(struct request_file *file, uint64_t bytes);

/* Reads the index of the file of a log of so many bytes whose first round is `first`: the number of
 * its rounds, and by `enter` (NULL: not asked for) each request, of n bytes. False, before any
 * call, where there is no such index or it is damaged. O(its bytes). */
bool request_file_read(const char *folder, const char *name, uint64_t first, uint64_t bytes,
                       uint64_t *rounds,
                       void (*enter)(void *to, const char *request, size_t n, uint64_t offset),
                       void *to);

#endif
