/* rows: the features of one query while it is read or changed: put together, and made the smaller
 * of dense and sparse. */
#ifndef RANKPIPE_ROWS_H
#define RANKPIPE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "math/matrix.h"

/* Most features that a round may be given which it did not come with: 1 GB of them. */
#define ROWS_MOST ((uint64_t)1 << 27)

struct rows { /* all zero at first */
    size_t docs, entries;
    struct buffer ptr, idx, val; /* uint32[docs+1], uint32[entries], float[entries] */
    struct buffer dense;
    struct buffer sorted, scaled; /* scale.c: entries of the features, before and after */
    struct buffer counts;         /* scale.c: uint32, of the entries of each feature */
};

/* Forgets the documents, keeps the memory. */
void rows_clear(struct rows *rows);

/* Forgets the documents, for a round that is to be `dim` wide with so many features written down:
 * 0, or a fault where a round cannot be as wide, or these are more than ROWS_MOST. */
int rows_start(struct rows *rows, uint64_t dim, uint64_t features, struct fault *fault);

/* The documents of a matrix in the place of those there were, with its features that are not 0.
 * It is not MATRIX_UNIT. 0 or a fault. */
int rows_take(struct rows *rows, const struct matrix *x, struct fault *fault);

/* A document without features yet, and room for `most` of them. 0, or a fault: at most 2^32 - 1
 * documents, and features of them all. */
int rows_document(struct rows *rows, size_t most, struct fault *fault);

/* A feature of the last document, one there is room for; idx rise. */
static inline void rows_feature(struct rows *rows, uint32_t idx, float val)
{
    ((uint32_t *)rows->idx.at)[rows->entries] = idx;
    ((float *)rows->val.at)[rows->entries] = val;
    ((uint32_t *)rows->ptr.at)[rows->docs] = (uint32_t)++rows->entries;
}

/* 0, or a fault for a feature that is not finite, as "feature 3 of document 0 VERB inf". */
int rows_finite(const struct rows *rows, const char *verb, struct fault *fault);

/* Removes the features that are 0, in place. */
void rows_drop_zeros(struct rows *rows);

/* A view of them, dim wide, good until they change: dense where that takes no more bytes than
 * sparse without zeros, and sparse then has none. 0 or a fault. */
int rows_matrix(struct rows *rows, size_t dim, struct matrix *x, struct fault *fault);

void rows_close(struct rows *rows);

#endif
