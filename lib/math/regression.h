/* regression: ridge regression of what documents are worth on their features, online: after each
 * document seen, the weights are the least squares of all up to it (Hoerl & Kennard 1970). Unless
 * features are plain, a document is its deviation from the mean of its round's documents, and
 * that mean, 2 dim numbers (Mundlak 1978): the mean's weights take up how one query differs from
 * another, and rank nothing.
 *
 * With z a document's numbers, v the weights and Z, R what was seen, v = (Z'Z + lambda I)^-1 Z'R
 * and P = lambda (Z'Z + lambda I)^-1; a document that counts as much as a of them adds a z z' to
 * Z'Z, and a z R to Z'R. */
#ifndef RANKPIPE_REGRESSION_H
#define RANKPIPE_REGRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "math/matrix.h"

struct regression {
    /* The caller's: weights w[dim] of the deviations, or of the plain features, and level[dim] of
     * the means, at first 0; the P that they go with, as a udu.h of regression_rows, whose rows
     * go by twos, of feature j's deviation and of its mean. */
    size_t dim;
    bool plain;
    double lambda;
    double *w, *level, *inverse;
    double *constant; /* NULL, or the weight of a feature that is 1 in each document, at first 0;
                       * its row of P is the first, in addition to regression_rows */
    double spread;    /* of regression_learn's last document: variance before it, + 1 / much */

    /* The round at hand, from regression_round on. */
    struct buffer buffer;
    const struct matrix *x;
    double *z, *u, *mean, *val;
    uint32_t *idx;
};

/* The rows of P. */
size_t regression_rows(size_t dim, bool plain);

/* Makes a round ready, whose features reach no further than dim; x stays the caller's, as long as
 * the round is at hand. */
int regression_round(struct regression *regression, const struct matrix *x, struct fault *fault);

/* What the weights make of document i of the round: v.z. */
double regression_expect(struct regression *regression, size_t i);

/* z'(Z'Z + lambda I)^-1 z of document i: the variance of v.z, where what was seen varies by 1. */
double regression_variance(struct regression *regression, size_t i);

/* Document i was seen, is worth so much, and counts as `much` documents, above 0. A fault where the
 * weights are no longer finite; then they are good for nothing. */
int regression_learn(struct regression *regression, size_t i, double worth, double much,
                     struct fault *fault);

/* Are the weights finite? 0, or a fault. */
int regression_check(const struct regression *regression, struct fault *fault);

void regression_close(struct regression *regression);

#endif
