/* equations: the normal equations of ridge regression, solved by elimination, for the C programs
 * that test what is learnt by it. */
#ifndef RANKPIPE_EQUATIONS_H
#define RANKPIPE_EQUATIONS_H

#include "rounds.h"

enum { NARROW = 9, ROWS = 2 * NARROW };

/* a is lambda I + the sum of zz', c the sum of R z. Rows go by deviations, and then by means. */
struct equations {
    bool plain;
    long double lambda, a[ROWS][ROWS], c[ROWS];
};

static inline void begin_equations(struct equations *q, double lambda, bool plain)
{
    *q = (struct equations){ .plain = plain, .lambda = lambda };
    for (size_t i = 0; i < ROWS; i++)
        q->a[i][i] = lambda;
}

/* A document of a query was seen, and counts as so many. */
static inline void add_document(struct equations *q, const struct query *query, size_t doc,
                                long double much)
{
    long double z[ROWS] = { 0 };
    for (size_t j = 0; j < query->dim; j++) {
        long double mean = 0;
        for (size_t i = 0; !q->plain && i < query->docs; i++)
            mean += query->x[i][j];
        mean /= query->docs;
        z[j] = query->x[doc][j] - mean;
        z[NARROW + j] = mean;
    }
    for (size_t i = 0; i < ROWS; i++) {
        q->c[i] += much * query->label[doc] * z[i];
        for (size_t j = 0; j < ROWS; j++)
            q->a[i][j] += much * z[i] * z[j];
    }
}

/* a^-1 by Gauss and Jordan, without looking for pivots, as a is positive; and a^-1 c. */
static inline void solve(const struct equations *q, long double inverse[ROWS][ROWS],
                         long double w[ROWS])
{
    long double a[ROWS][ROWS];
    memcpy(a, q->a, sizeof a);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++)
            inverse[i][j] = i == j;
    for (size_t p = 0; p < ROWS; p++) {
        long double pivot = a[p][p];
        for (size_t j = 0; j < ROWS; j++) {
            a[p][j] /= pivot;
            inverse[p][j] /= pivot;
        }
        for (size_t i = 0; i < ROWS; i++) {
            long double factor = a[i][p];
            for (size_t j = 0; i != p && j < ROWS; j++) {
                a[i][j] -= factor * a[p][j];
                inverse[i][j] -= factor * inverse[p][j];
            }
        }
    }
    for (size_t i = 0; i < ROWS; i++) {
        w[i] = 0;
        for (size_t j = 0; j < ROWS; j++)
            w[i] += inverse[i][j] * q->c[j];
    }
}

#endif
