/* model_patch: a model as what changed of it since one that is whole. rankpipe(5), "Patches".
 *
 * A table of a model is a column of u8 keys, which rise, and up to three columns of as many numbers
 * of 8 bytes each; a row is a key with its numbers. A patch has the rows that are new or differ,
 * the keys of those that are gone, and all other columns as they are now. */
#ifndef RANKPIPE_MODEL_PATCH_H
#define RANKPIPE_MODEL_PATCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "stream/record.h"

enum { PATCH_TABLES = 5, PATCH_COLUMNS = 4, PATCH_NAME = 64 };

/* The model that a patch belongs to: the rounds it has learnt, and its key crc. */
struct patch_of {
    uint64_t rounds;
    uint32_t crc;
};

struct patch_table {
    struct buffer column[PATCH_COLUMNS], gone;
    size_t rows, rows_gone;
    char gone_name[PATCH_NAME];
};

struct model_patch { /* all zero at first */
    struct record record;
    struct patch_table table[PATCH_TABLES];
    size_t tables;
    char words[PATCH_TABLES * PATCH_NAME]; /* the key tables= */
};

/* The name of the file with that model, which lies in the folder of the patch. */
void patch_name(char name[PATCH_NAME], struct patch_of of);

/* Reads the key since= of a patch. 0 or a data fault. */
int patch_since(const struct record *patch, struct patch_of *of, struct fault *fault);

/* Makes patch->record, what changed of `model` since `whole`: it borrows from the patch and from
 * the model, of which tables alone have a source, which is walked once. 1; 0 where the patch takes
 * more than `most` bytes, or whole has tables of another form; or a fault. To be closed in any
 * case. O(bytes of both). */
int patch_make(struct model_patch *patch, const struct record *model, const struct record *whole,
               struct patch_of of, size_t most, struct fault *fault);

void patch_close(struct model_patch *patch);

/* Makes a record that was read as a patch the model that it is of, given the whole one. Its columns
 * are in `payload`, and need neither the whole nor what was read. 0, or a data fault: they do not
 * belong together. O(bytes of both). */
int patch_apply(struct record *record, const struct record *whole, struct buffer *payload,
                struct fault *fault);

#endif
