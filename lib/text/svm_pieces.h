/* svm_pieces: reads queries from SVM-light text by several threads, each a piece at a time. */
#ifndef RANKPIPE_SVM_PIECES_H
#define RANKPIPE_SVM_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/crew.h"
#include "text/svm.h"
#include "text/svm_piece.h"

/* `svm` remains the reader of the text. It reads each query of which it is not certain that a piece
 * on its own says the same: the first ones, those with a fault, those at the border of two files,
 * long ones, and all that come one by one from a pipe. So each query, fault and line number is that
 * of `svm` alone. */
struct svm_pieces { /* all zero at first; must not be moved while it is open */
    struct svm *svm;  /* the caller's */
    size_t threads;   /* the caller's among them */
    size_t piece_bytes;

    bool ahead;       /* pieces are read; else `svm` reads */
    struct crew crew;
    struct svm *reader;      /* reader[threads] */
    struct svm_piece *piece; /* of the crew: piece[i % slots] is piece i */
    size_t slots;
    size_t next;     /* query of the first piece, from 0 */
    uint64_t number; /* of the last line before that piece */
    uint64_t posted; /* bytes */
};

enum { SVM_PIECE = 256 * 1024 };

/* Reads what `svm`, which has read nothing yet, would, by so many threads; 1: by `svm` alone.
 * Pieces have piece_bytes of text, and up to four times as many where queries are long: SVM_PIECE
 * is good. Memory: for each thread two pieces and two more, each text and what became of it. */
void svm_pieces_open(struct svm_pieces *pieces, struct svm *svm, size_t threads,
                     size_t piece_bytes);

/* As svm_next(svm), after which svm_skip and svm_round work as well. */
int svm_pieces_next(struct svm_pieces *pieces, struct svm_query *query, struct fault *fault)
    __attribute__((warn_unused_result));

/* Ends all threads. Not svm. */
void svm_pieces_close(struct svm_pieces *pieces);

#endif
