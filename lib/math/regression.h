/* regression: online ridge regression of relevance on features: after each document seen, the
 * weights are the ridge solution for all documents so far (Hoerl & Kennard 1970).
 *
 * A document's regressors z are 2 dim numbers: its deviation from the mean of its round's
 * documents, and that mean (Mundlak 1978). The weights of the mean explain how queries differ, and
 * rank nothing. With plain features z is the dim features themselves.
 *
 * With v the weights, Z the regressors and R the relevances seen, v = (Z'Z + lambda I)^-1 Z'R and P
 * = lambda (Z'Z + lambda I)^-1. A document that counts a times adds a z z' to Z'Z, and a z R to
 * Z'R. */
#ifndef RANKPIPE_REGRESSION_H
#define RANKPIPE_REGRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "kernels/covariance.h"
#include "math/matrix.h"
#include "math/sketch.h"

/* A form for so many features that a full P would be too large: the same regressors and weights,
 * with the information of sketch.h. Its cost depends on the features that the round has, and not on
 * how many there are. */
struct wide { /* all zero at first */
    struct sketch sketch;

    /* The current round, and the rows of z that may not be 0. */
    const struct matrix *x;
    struct present present;
    size_t rows;
    uint32_t *row; /* row[rows]                                                  */
    double *mean, *z; /* mean of each present feature; z[rows] of the last document */
    size_t written;     /* the document whose z this is; SIZE_MAX: none */
    double *weight, *d; /* of these rows, while a document is learnt (sketch.h) */
    bool finite;        /* are all weights that were learnt in this round?      */
    double *val;      /* of a document's features, with idx                         */
    uint32_t *idx;
    struct buffer list, document;
};

void wide_close(struct wide *wide);

struct regression {
    /* The caller's: weights w[dim] of the deviations, or of the plain features, and level[dim] of
     * the means, all 0 at first; and their P (covariance.h), of regression_rows rows, at first the
     * identity. Rows 2j and 2j + 1 are those of feature j's deviation and of its mean. */
    size_t dim;
    bool plain;
    double lambda;
    double *w, *level, *inverse;
    double *constant; /* NULL, or the weight of a feature that is 1 in each document, at first 0;
                       * its row of P is the first, in addition to regression_rows */
    struct wide *wide; /* NULL, or a form in place of P, whose `counted` is the sum of much
                        * z^2 of each row: then `inverse` is not read, and no variances are known */
    const double *counted;
    double spread;    /* of regression_learn's last document: variance before it, + 1 / much */

    /* The current round, from regression_round on. */
    struct buffer buffer, several; /* the latter: z and u of documents learnt together */
    const struct matrix *x;
    double *z, *mean, *val;
    size_t written;  /* the document whose z this is; SIZE_MAX: none */
    double *abreast; /* z of COVARIANCE_ABREAST documents */
    double *shared;  /* of covariance_shared, where `shares`   */
    bool shares;
    uint32_t *idx;
};

/* The number of rows of P: dim if plain, else 2 dim; SIZE_MAX if that overflows. */
size_t regression_rows(size_t dim, bool plain);

/* Starts a round, whose features reach no further than dim. Borrows x until the next round. 0 or a
 * fault (memory). O(docs dim). */
int regression_round(struct regression *regression, const struct matrix *x, struct fault *fault);

/* The expected relevance of document i of the round: v.z. */
double regression_expect(struct regression *regression, size_t i);

/* Sets expected[n] of the documents doc[n], which are not learnt yet: v.z rounded in another way,
 * and in a third of the time. */
void regression_expect_all(struct regression *regression, size_t n, const uint32_t *doc,
                           double *expected);

/* v[d]: z'(Z'Z + lambda I)^-1 z of document i + d, up to the round's last: the variance of v.z if
 * relevance has variance 1. Nothing may be learnt between calls for one round. O(dim^2). */
void regression_variances(struct regression *regression, size_t i, double v[COVARIANCE_ABREAST]);

/* 0 if document i has finite features, so that regression_learn can learn from it; else a fault,
 * and nothing has changed. O(dim). */
int regression_finite(struct regression *regression, size_t i, struct fault *fault);

/* Learns that document i is worth `worth`; it counts `much` times, above 0. 0, or a fault if the
 * features are too large; the regression is then unusable. O(dim^2). */
int regression_learn(struct regression *regression, size_t i, double worth, double much,
                     struct fault *fault);

/* sum[r] += much z_r^2 for each row r of P; z is the document that regression_learn took last. The
 * caller of a wide form adds them to `counted` after each document. */
void regression_add_squares(const struct regression *regression, double much, double *sum);

/* How much more a document was worth than expected when it was learnt, and `spread`. */
struct regression_error {
    double e, spread;
};

/* Documents that are learnt in one pass over P: their z and u stay near meanwhile. */
enum { REGRESSION_AT_ONCE = 16 };

/* The same for the documents doc[n], one after the other, to the bit: P, which may be large, comes
 * from memory once for several of them. worth[n]; much[n], where 0 or less leaves a document out;
 * NULL: each counts once. error[n] is filled in, except of those left out; NULL: nothing is. */
int regression_learn_all(struct regression *regression, size_t n, const uint32_t *doc,
                         const double *worth, const double *much, struct regression_error *error,
                         struct fault *fault);

/* The mean of the prior of the first feature's deviation, whose precision is lambda + kappa, grows
 * by `by`: v += by (1 + kappa / lambda) P e. With P alone. O(n^2) for n rows. 0 or a fault
 * (memory). */
int regression_lean(struct regression *regression, double kappa, double by, struct fault *fault);

/* In a wide form: the mean square of the deviations of all features that the round has, but the
 * first; 0 where there are none. O(docs rows). */
double regression_spread(struct regression *regression);

/* 0 if all weights are finite, else a fault. */
int regression_check(const struct regression *regression, struct fault *fault);

void regression_close(struct regression *regression);

#endif
