/* matrix: a round's features, dense or sparse, and the two products that learning needs. */
#ifndef RANKPIPE_MATRIX_H
#define RANKPIPE_MATRIX_H

#include <stddef.h>
#include <stdint.h>

enum matrix_form {
    MATRIX_UNIT,  /* document i is the i-th unit vector: a fixed list of items */
    MATRIX_DENSE, /* x: float[docs][dim]                                       */
    MATRIX_SPARSE /* row i is idx/val[ptr[i]..ptr[i+1]), idx rising from 0     */
};

/* A view: the bytes are little-endian as in the stream, not aligned, and somebody else's. */
struct matrix {
    enum matrix_form form;
    size_t docs, dim;
    const unsigned char *x;
    const unsigned char *ptr, *idx, *val; /* uint32[docs+1], uint32[nnz], float[nnz] */
};

/* How many weights the features reach: dim, or docs for unit vectors. */
size_t matrix_width(const struct matrix *x);

/* How many features are written down. */
size_t matrix_entries(const struct matrix *x);

/* s = X (scale w): s[docs] from w[n]; a weight from n on is 0. A weight is multiplied by `scale`
 * first, so that the products are those with the weights as they would be written down. Feature j
 * of a document is added up in lane j mod 16 (lanes.h), widened first, multiplied then added. So
 * dense and sparse features give the same bits, whatever the machine's vectors. `spare` has room
 * for matrix_width numbers; NULL will do where scale is 1, or X not dense. */
void matrix_times(const struct matrix *x, const double *w, double scale, size_t n, double *s,
                  double *spare);

/* z += X' g: z[matrix_width] from g[docs], by documents in their order; those with g = 0 are
 * not looked at. */
void matrix_transposed_times(const struct matrix *x, const double *g, double *z);

/* One vector of features, or a difference of two, widened. */
struct row {
    size_t n;
    const uint32_t *idx; /* idx[n], rising; NULL: 0 to n - 1 */
    double *val;         /* val[n]                           */
};

/* The features of document i, and what document i has more than document j. `val` and `idx` are
 * the caller's, with room for matrix_width numbers each. */
struct row matrix_row(const struct matrix *x, size_t i, double *val, uint32_t *idx);
struct row matrix_difference(const struct matrix *x, size_t i, size_t j, double *val,
                             uint32_t *idx);

/* A document's features as they lie in the stream, of a matrix that is not dense. */
struct sparse_row {
    size_t n;
    const unsigned char *idx; /* uint32[n]; NULL: the one feature `only` */
    size_t only;
};
struct sparse_row matrix_sparse_row(const struct matrix *x, size_t i);
size_t sparse_row_index(const struct sparse_row *row, size_t e);

/* w.x, in the lanes of matrix_times; w reaches as far as the row. */
double row_times(const struct row *row, const double *w);

/* x.x, in the same lanes. */
double row_square(const struct row *row);

/* w += a x. */
void row_add(const struct row *row, double a, double *w);

/* The length of w[n], summed in the same lanes. */
double matrix_norm(const double *w, size_t n);

#endif
