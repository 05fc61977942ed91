/* svm_piece: some queries of an SVM-light text, cut out of it and read on their own. */
#ifndef RANKPIPE_SVM_PIECE_H
#define RANKPIPE_SVM_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "text/svm.h"
#include "text/svm_border.h"

/* A place between two lines of a piece. */
struct svm_place {
    size_t at;      /* bytes before it */
    uint64_t lines; /* lines before it */
};

struct svm_part {
    struct svm_query query; /* whose pointers svm_piece_query sets       */
    size_t values;          /* where in `values` begins what they point to */
    struct svm_place from;  /* where its text begins                       */
    uint64_t until;         /* the number of the line that ended it, from 1 */
};

struct svm_piece { /* all zero at first */
    /* Set by the caller: text[bytes] begins with the first line of a query, and has a border. What
     * follows the line at the border is not read. */
    struct buffer text;
    size_t bytes;
    struct svm_border border;

    struct buffer part; /* struct svm_part[parts] */
    size_t parts;
    struct buffer values;
    size_t used;
    struct svm_place stop; /* the border, if all queries before it were read; else where the first
                            * query begins that was not, for whatever reason */
};

/* Reads the queries up to the border by `svm`, a reader with options.piecewise that knows what is
 * known after the first query of a text. O(bytes). */
void svm_piece_read(struct svm_piece *piece, struct svm *svm);

/* Query number i of the piece, from 0, as svm_next returned it; its arrays are the piece's. */
struct svm_query svm_piece_query(const struct svm_piece *piece, size_t i);

void svm_piece_close(struct svm_piece *piece);

#endif
