/* users: how users read, and what is relevant to them, fitted to the clicks of some queries, in one
 * of two forms.
 *
 * They do not stop: every impression counts. theta is first that of marginal.h, and then that of
 * within.h, whose prior it is: so documents that moved correct what the features say, also where
 * the logging ranker knew more than the features do.
 *
 * They stop: what is above the first click of a request was examined, and so was that click. theta
 * is that of within.h from these impressions alone, with ln theta 0 as the prior. An impression
 * below a click is rho_q of one, by query: with D_q clicks on such impressions, and r_j the
 * relevances learnt from the others,
 *
 *     rho_q = (D_q + 5 kappa) / (M_q + 5),   M_q = sum of m_jk theta_k r_j.
 *
 * In the end b, w, a and the relevances are those of marginal.h given theta, where a click counts
 * by its value. */
#ifndef RANKPIPE_USERS_H
#define RANKPIPE_USERS_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/watch.h"
#include "relevance/evidence.h"
#include "relevance/marginal.h"

struct users { /* all zero at first */
    bool stop;
    double kappa;        /* of the queries that it was fitted to */
    double *theta, *first, *error; /* [positions]: first: before within.h; error: of ln theta */
    double *rho;         /* rho[queries], if they stop */
    struct marginal marginal; /* b, w, a, ln m, and the relevances */
    struct buffer memory;
};

/* Fits to the queries with keep[queries]; NULL: all. `given`: theta[positions], known; error is
 * then 0; NULL: it is estimated. `start`: where to start from; NULL: anywhere. 0, or a fault:
 * memory, or a signal. */
int users_fit(struct users *users, bool stop, const struct evidence *evidence, const bool *keep,
              const double *given, const struct users *start, struct watch *watch,
              struct fault *fault);

/* What n - m impressions and m after a click come to, of queries that it was not fitted to. */
static inline double users_exposure(const struct users *users,
                                    const struct impressions_counts *counts)
{
    double share = users->kappa > 1e-3 ? users->kappa : 1e-3;
    return users->stop ? counts->n - counts->after + share * counts->after : counts->n;
}

void users_close(struct users *users);

#endif
