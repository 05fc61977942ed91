/* memory_near: what the judged documents of a round say about the others, by how like them they
 * are. With e = S/n - z.v of a judged document, each other one gets
 *
 *     A = sum K e,  B = sum K,  K = exp(-5 dist^2 / mean dist^2)
 *
 * over the last 32 judged ones by line. dist^2 is the squared distance of the features that score,
 * and its mean that of two documents of the round; K is 1 where that is 0. Distances are computed
 * in floats (nearness.h): K is wrong by about 1e-6. */
#ifndef RANKPIPE_MEMORY_NEAR_H
#define RANKPIPE_MEMORY_NEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "kernels/nearness.h"
#include "math/matrix.h"

/* What is known of a document: its answers, their sum, and its z.v. */
struct memory_known {
    double n, sum, expected;
};

/* Is a document judged? Not one that was forgotten, of which a part of an answer is left. */
static inline bool memory_is_judged(const struct memory_known *known)
{
    return known->n >= 0.5;
}

/* The features of a round, as rows of floats, and their mean. Where more than 512 score, of which
 * fewer than half are present in the round, the rows have these alone. */
struct memory_space { /* all zero at first */
    const struct matrix *x;
    size_t reach;       /* features that score: those from here on count as 0    */
    size_t n;           /* columns of a row: features that score, or are present */
    const uint32_t *feature; /* feature[n] of each column; NULL: its own number  */
    const double *mean;      /* mean[n]                                          */
    struct present present;
    struct buffer rows, means, sums, judged, doc;
    struct buffer parts; /* memory_worth.c's: voices, then the features' novelty */
};

/* Starts a round, of which features below `reach` score. Borrows x. 0 or a fault (memory).
 * O(docs n). */
int memory_space_start(struct memory_space *space, const struct matrix *x, size_t reach,
                       struct fault *fault);

/* Rows i to i + docs - 1, until the next call; x is NULL after a fault (memory). */
struct nearness_rows memory_space_rows(struct memory_space *space, size_t i, size_t docs,
                                       struct fault *fault);

/* Sets A[docs] and B[docs] of documents that are not judged, of these that are wanted[docs] (NULL:
 * all), and 0 of the others. They are the space's, and NULL where no document is judged, or all
 * are. 0 or a fault (memory). O(32 docs n) of the documents wanted. */
struct memory_nearness {
    const double *A, *B;
};
int memory_near(struct memory_space *space, const struct memory_known *known, const bool *wanted,
                struct memory_nearness *near, struct fault *fault);

void memory_space_close(struct memory_space *space);

#endif
