/* learnt: the names of the last million rounds that were learnt, as hashes of 8 bytes, by which a
 * second round of a name is noticed. Two names have the same hash with a probability of 2^-64, so
 * a new name is taken for one of a million once in 2^44.
 *
 * The file `learnt` of a generation has the key of the hashes, and its segments, oldest first:
 *
 *     key TAB k0 TAB k1                 16 hexadecimal digits each
 *     segment TAB number TAB hashes
 *
 * The segment is the file learnt.NUMBER: its hashes, little-endian, in rising order. A segment of
 * 65536 hashes is full: it never changes, and generations share it by hard links. */
#ifndef RANKPIPE_LEARNT_H
#define RANKPIPE_LEARNT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/hash_table.h"
#include "base/siphash.h"

struct learnt { /* all zero at first */
    char *folder; /* of the generation before; NULL: there is none */
    struct siphash start;
    uint64_t key[2];
    struct buffer list; /* struct segment [count] */
    size_t count;
    uint64_t next;      /* the number of the next segment */
    struct buffer fresh; /* hashes uint64_t [added], the last segment first where it is not full */
    size_t added;
};

/* Opens what the generation in a folder has learnt; where it has no such file, nothing, under a new
 * key. 0 or a fault; to be closed either way. */
int learnt_open(struct learnt *learnt, const char *folder, struct fault *fault);

/* Was a round of that name learnt before this run: 1 or 0, or a fault. Reads 8 KB of each segment,
 * of which there are at most 17, except where a run added more at once. */
int learnt_find(const struct learnt *learnt, const char *name, struct fault *fault);

/* Adds the name of a round that is learnt in this run. 0 or a fault. */
int learnt_add(struct learnt *learnt, const char *name, struct fault *fault);

/* Writes all into the folder of the next generation, but for the oldest segments where a million
 * names are left. 0 or a fault. */
int learnt_write(struct learnt *learnt, const char *folder, struct fault *fault);

void learnt_close(struct learnt *learnt);

#endif
