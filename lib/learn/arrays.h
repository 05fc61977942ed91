/* arrays: the numbers that a learner keeps beside its weights, in the model file under names of
 * their own. Its row lists them; they grow with the weights. */
#ifndef RANKPIPE_ARRAYS_H
#define RANKPIPE_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "learn/settings.h"
#include "model/model.h"

struct array_row {
    const char *name;
    enum array_shape {
        ARRAY_COUNT,   /* [1], at first 0: a whole number up to n                         */
        ARRAY_NUMBERS, /* [n], at first 0                                                 */
        ARRAY_VECTORS, /* [n][dim], at first 0; grows with the weights by zeros           */
        ARRAY_TWO_VECTORS, /* [n][2][dim], the same; with a cutoff c [n][2c][1 + dim]     */
        ARRAY_SQUARE,  /* [dim][dim], at first the identity; grows by more of it          */
        ARRAY_UDU,     /* a matrix of covariance.h with regression_rows(dim) rows, plain where
                        * the flag n is set; at first the identity, and grows by more of it */
        ARRAY_UDU_CONSTANT, /* the same with one more row before them, of a constant feature */
        ARRAY_ROWS,         /* [rows of an ARRAY_UDU], at first 0, and grows by zeros      */
        ARRAY_ROWS_CONSTANT, /* [rows of an ARRAY_UDU_CONSTANT], the same                  */
        ARRAY_ABSENT         /* nothing: models have no such column                        */
    } shape;
    enum setting_number n; /* the setting that gives n; SETTINGS: none; n is 1, a count's 2^53 */
    size_t numbers;        /* n of an ARRAY_NUMBERS that no setting gives; 0: 1 */
    bool later;            /* older models lack it: then it is as at first      */
};
enum { ARRAYS_MOST = 6 }; /* of a learner */

struct arrays { /* all zero at first */
    struct array_row row[ARRAYS_MOST]; /* up to the first without a name        */
    double *at[ARRAYS_MOST];           /* one for each row, never NULL once grown */
    struct buffer buffer[ARRAYS_MOST];
};

/* Adds a row, before the arrays grow: returns its number. There must be room. */
size_t arrays_add(struct arrays *arrays, struct array_row row);

/* Grows `numbers` from rows x columns to an extent that is no smaller: the rows move apart, and the
 * new numbers are 0. NULL with a fault (memory). */
struct extent {
    size_t rows, columns;
};
double *arrays_grow(struct buffer *numbers, struct extent from, struct extent to,
                    struct fault *fault);

/* Grows all arrays from dim weights to width, which is no less; 0 or a fault (memory). */
int arrays_reach(struct arrays *arrays, const struct settings *settings, size_t dim, size_t width,
                 struct fault *fault);

/* Takes back the last arrays_reach: width weights become dim again, and what came is dropped. */
void arrays_shrink(struct arrays *arrays, const struct settings *settings, size_t width,
                   size_t dim);

/* Does a model of model->dim weights have all arrays? Asked before memory is allocated. 0 or a data
 * fault. */
int arrays_check(const struct arrays *arrays, const struct settings *settings,
                 const struct model *model, struct fault *fault);

/* Copies the arrays from a model that arrays_check has accepted, whose weights they have reached. 0
 * or a data fault. */
int arrays_load(struct arrays *arrays, const struct settings *settings, const struct model *model,
                struct fault *fault);

/* Adds array i of dim weights to a model or a message, which borrows it; and all of them to a
 * model, which must be finite. 0 or a fault. */
int arrays_put(const struct arrays *arrays, size_t i, const struct settings *settings, size_t dim,
               struct model *model, struct fault *fault);
int arrays_save(const struct arrays *arrays, const struct settings *settings, size_t dim,
                struct model *model, struct fault *fault);

/* Adds the numbers of array i of others that reach as far, to those of these. */
void arrays_sum(struct arrays *arrays, size_t i, const struct arrays *others,
                const struct settings *settings, size_t dim);

void arrays_close(struct arrays *arrays);

#endif
