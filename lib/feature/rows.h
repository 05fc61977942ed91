/* rows: the features of one query while it is read or changed: collected, and turned into the
 * smaller of the dense and the sparse form. */
#ifndef RANKPIPE_ROWS_H
#define RANKPIPE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "math/matrix.h"

/* Most features that a program may make for a round: 1 GB of them. */
#define ROWS_MOST ((uint64_t)1 << 27)

struct rows { /* all zero at first */
    size_t docs, entries;
    struct buffer ptr, idx, val; /* uint32[docs+1], uint32[entries], float[entries] */
    struct buffer dense;
    struct buffer sorted, scaled; /* scale.c: the features, before and after */
    struct buffer ranges;         /* scale.c: of each feature */
};

/* Removes all documents. */
void rows_clear(struct rows *rows);

/* Removes all documents, for a round with `dim` features of which so many will be written. 0; or a
 * fault where a round cannot have `dim` features, or more than ROWS_MOST would be written. */
int rows_start(struct rows *rows, uint64_t dim, uint64_t features, struct fault *fault);

/* Replaces the documents by those of a matrix, with its features that are not 0. The matrix is not
 * MATRIX_UNIT. 0 or a fault. */
int rows_take(struct rows *rows, const struct matrix *x, struct fault *fault);

/* Adds a document without features, and room for `most` of them. 0; or a fault for more than 2^32 -
 * 1 documents, or features of all documents. */
int rows_document(struct rows *rows, size_t most, struct fault *fault);

/* Adds a feature to the last document, which has room for it. Its index is larger than those
 * before. */
static inline void rows_feature(struct rows *rows, uint32_t idx, float val)
{
    ((uint32_t *)rows->idx.at)[rows->entries] = idx;
    ((float *)rows->val.at)[rows->entries] = val;
    ((uint32_t *)rows->ptr.at)[rows->docs] = (uint32_t)++rows->entries;
}

/* Where the next feature of the last document goes, for a caller that writes several at once; and
 * the end of those that it wrote. */
static inline void rows_place(const struct rows *rows, uint32_t **idx, float **val)
{
    *idx = (uint32_t *)rows->idx.at + rows->entries;
    *val = (float *)rows->val.at + rows->entries;
}
static inline void rows_placed(struct rows *rows, const uint32_t *idx_end)
{
    rows->entries = (size_t)(idx_end - (const uint32_t *)rows->idx.at);
    ((uint32_t *)rows->ptr.at)[rows->docs] = (uint32_t)rows->entries;
}

/* 0, or a fault for a feature that is not finite, as "feature 3 of document 0 VERB inf". */
int rows_finite(const struct rows *rows, const char *verb, struct fault *fault);

/* *x becomes a view of the rows, with dim features, valid until they change: dense where that takes
 * no more bytes than sparse without zeros, else sparse without zeros. 0 or a fault. */
int rows_matrix(struct rows *rows, size_t dim, struct matrix *x, struct fault *fault);

void rows_close(struct rows *rows);

#endif
