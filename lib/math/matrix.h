/* matrix: the features of a round, dense or sparse, and the products that learning needs; which
 * features a round has; whether numbers are finite, as weights and scores must be. */
#ifndef RANKPIPE_MATRIX_H
#define RANKPIPE_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"

enum matrix_kind {
    MATRIX_UNIT,  /* document i is the i-th unit vector: a fixed list of items */
    MATRIX_DENSE, /* x: float[docs][dim]                                       */
    MATRIX_SPARSE /* row i is idx/val[ptr[i]..ptr[i+1]), idx rising from 0     */
};

/* Numbers of sparse features lie anywhere: they are prefetched this many entries ahead. */
enum { MATRIX_AHEAD = 32 };

/* Borrowed bytes, perhaps unaligned, as they lie in the payload of a record. */
struct matrix {
    enum matrix_kind kind;
    size_t docs, dim;
    const unsigned char *x;
    const unsigned char *ptr, *idx, *val; /* uint32[docs+1], uint32[nnz], float[nnz] */
    const double *sum; /* sum[dim]: as matrix_means adds them; NULL: not known yet   */
};

/* The number of weights that the features need: dim, or docs for unit vectors. */
size_t matrix_width(const struct matrix *x);

/* The number of feature values that are stored. */
size_t matrix_entries(const struct matrix *x);

/* Writes dense or sparse features to[docs * dim], with those that are not stored: 0. */
void matrix_spread(const struct matrix *x, float *to);

/* Does the dense form of so many features take no more bytes than the sparse one, which stores only
 * those that are not 0? */
static inline bool matrix_dense_is_smaller(size_t docs, size_t dim, uint64_t nonzero)
{
    uint64_t dense = 4 * (uint64_t)docs * dim, sparse = 4 * ((uint64_t)docs + 1) + 8 * nonzero;
    return dim && dense <= sparse;
}

/* s = X (scale w): s[docs] from w[n]; weights from n on are 0. A weight is multiplied by `scale`
 * first, so the result is the same as with the weights of a model file. Feature j of a document is
 * widened to double, multiplied, and added to lane j mod 16 (kernels/vectors.h). So dense and
 * sparse features give the same bits, whatever vectors the machine has. `spare` has room for
 * matrix_width numbers; it may be NULL if scale is 1 or X is not dense. */
void matrix_times(const struct matrix *x, const double *w, double scale, size_t n, double *s,
                  double *spare);

/* The same with `first` more in the first weight, also where n is 0: s = X (scale w + first e_1).
 * `spare` is needed if first is not 0, too. */
void matrix_times_from(const struct matrix *x, double first, const double *w, double scale,
                       size_t n, double *s, double *spare);

/* z += X' g: z[matrix_width] from g[docs], document after document. Documents with g = 0 are not
 * read. */
void matrix_transposed_times(const struct matrix *x, const double *g, double *z);

/* mean[n]: the mean of each feature over the documents, added document after document; 0 from
 * matrix_width on. */
void matrix_means(const struct matrix *x, size_t n, double *mean);

/* One vector of features, or the difference of two, as doubles. */
struct row {
    size_t n;
    const uint32_t *idx; /* idx[n], rising; NULL: 0 to n - 1 */
    double *val;         /* val[n]                           */
};

/* The features of document i; those of document i minus those of document j. The row lies in `val`
 * and `idx`, the caller's, with room for matrix_width numbers each. */
struct row matrix_row(const struct matrix *x, size_t i, double *val, uint32_t *idx);
struct row matrix_difference(const struct matrix *x, size_t i, size_t j, double *val,
                             uint32_t *idx);

/* The indices of a document's features in the stream, of a matrix that is not dense. */
struct sparse_row {
    size_t n;
    const unsigned char *idx; /* uint32[n]; NULL: the one feature `only` */
    size_t only;
};
struct sparse_row matrix_sparse_row(const struct matrix *x, size_t i);
size_t matrix_sparse_index(const struct sparse_row *row, size_t e);

/* w.x, in the lanes of matrix_times; w is as long as the row needs. */
double matrix_row_times(const struct row *row, const double *w);

/* x.x, in the same lanes. */
double matrix_row_square(const struct row *row);

/* w += a x. */
void matrix_row_add(const struct row *row, double a, double *w);

/* The length of w[n], summed in the same lanes. */
double matrix_norm(const double *w, size_t n);

/* Are n numbers f8, perhaps unaligned, finite? O(n). */
bool finite_numbers(size_t n, const void *numbers);

/* The place of the first of them that is not finite; n where all are. O(n). */
size_t finite_until(size_t n, const void *numbers);

/* 0 where s[m], the scores of a round's documents, are finite; else a fault that names the first
 * document that is not and then says `cause`: "document 3 scores inf: cause". O(m). */
int finite_scores(size_t m, const double *s, const char *cause, struct fault *fault);

/* The features of a round that are not 0 in all of its documents, so that work can depend on these
 * and not on how many features there are. */
struct present { /* all zero at first */
    size_t n;
    const uint32_t *feature; /* feature[n]: in the order in which the documents have them */
    const uint32_t *place;   /* of each feature in the list, from 1; 0: it is 0 in all    */
    struct buffer list, places;
};

/* Lists the features of x below `reach`. 0 or a fault (memory). O(entries of x), and O(reach) where
 * it grows. */
int present_find(struct present *present, const struct matrix *x, size_t reach,
                 struct fault *fault);

void present_close(struct present *present);

#endif
