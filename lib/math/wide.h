/* wide: a regression (regression.h) on so many features that a full P would be too large: the same
 * regressors and weights, with the information of sketch.h. Its cost depends on the features that
 * the round has, and not on how many there are. regression.c calls it. */
#ifndef RANKPIPE_WIDE_H
#define RANKPIPE_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "math/matrix.h"
#include "math/present.h"
#include "math/sketch.h"

/* The weights, as in struct regression; and counted[rows], the sum of c z^2 of each row. */
struct wide_weights {
    size_t dim;
    bool plain;
    double lambda, *w, *level, *constant;
    const double *counted;
};

struct wide { /* all zero at first */
    struct sketch sketch;
    struct wide_weights weights;

    /* The current round, and the rows of z that may not be 0. */
    const struct matrix *x;
    struct present present;
    size_t rows;
    uint32_t *row; /* row[rows]                                                  */
    double *mean, *z; /* mean of each present feature; z[rows] of the last document */
    double *val;      /* of a document's features, with idx                         */
    uint32_t *idx;
    struct buffer list, document;
};

/* Starts a round, as regression_round. 0 or a fault (memory). */
int wide_round(struct wide *wide, const struct wide_weights *weights, const struct matrix *x,
               struct fault *fault);

/* Of document i: v.z; and z.z. */
double wide_expect(struct wide *wide, size_t i);
double wide_square(struct wide *wide, size_t i);

/* Learns that document i is worth `worth`, which counts `much` times, above 0. Returns its variance
 * before, + 1 / much; where that is not finite the sketch is unusable. */
double wide_learn(struct wide *wide, size_t i, double worth, double much);

/* sum[r] += much z_r^2; z is the document that wide_learn took last. */
void wide_add_squares(const struct wide *wide, double much, double *sum);

/* Are all weights finite that wide_learn may have changed? */
bool wide_is_finite(const struct wide *wide);

void wide_close(struct wide *wide);

#endif
