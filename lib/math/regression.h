/* regression: online ridge regression of the relevance of documents on their features. After each
 * document seen, the weights are the regularised least squares of all documents so far (Hoerl &
 * Kennard 1970). Unless features are plain, a document is described by its deviation from the mean
 * of its round's documents, and by that mean, 2 dim numbers (Mundlak 1978). The weights of the mean
 * explain differences between queries and do not affect a ranking.
 *
 * With z a document's numbers, v the weights and Z, R what was seen, v = (Z'Z + lambda I)^-1 Z'R
 * and P = lambda (Z'Z + lambda I)^-1. A document of weight a adds a z z' to Z'Z, and a z R to Z'R.
 */
#ifndef RANKPIPE_REGRESSION_H
#define RANKPIPE_REGRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "math/matrix.h"

struct regression {
    /* The caller's: w[dim], the weights of the deviations, or of the plain features, and
     * level[dim], those of the means, all 0 at first; and inverse, their P in the form of udu.h,
     * with regression_rows rows: for each feature one for its deviation and one for its mean. */
    size_t dim;
    bool plain;
    double lambda;
    double *w, *level, *inverse;

    /* The current round, from regression_round on. */
    struct buffer buffer;
    const struct matrix *x;
    double *z, *u, *mean, *val;
    uint32_t *idx;
};

/* The number of rows of P. */
size_t regression_rows(size_t dim, bool plain);

/* Prepares a round with at most dim features. x stays the caller's, and must stay until the next
 * call. 0 or a fault. */
int regression_round(struct regression *regression, const struct matrix *x, struct fault *fault);

/* The expected relevance of document i of the round: v.z. */
double regression_expect(struct regression *regression, size_t i);

/* z'(Z'Z + lambda I)^-1 z of document i: the variance of v.z in units of the noise variance. */
double regression_variance(struct regression *regression, size_t i);

/* Learns that document i has relevance `worth`, with weight `much`, above 0. A fault where the
 * weights are no longer finite; then they cannot be used any more. O(rows^2). */
int regression_learn(struct regression *regression, size_t i, double worth, double much,
                     struct fault *fault);

/* Are the weights finite? 0, or a fault. */
int regression_check(const struct regression *regression, struct fault *fault);

void regression_close(struct regression *regression);

#endif
