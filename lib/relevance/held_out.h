/* held_out: what was learnt from some queries, judged on the clicks of others: every fifth query
 * with clicks, by qid. */
#ifndef RANKPIPE_HELD_OUT_H
#define RANKPIPE_HELD_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "relevance/evidence.h"
#include "relevance/users.h"

struct held_out { /* all zero at first */
    const struct evidence *evidence;
    bool *left, *others; /* [queries]: is it left out? others: all that are not */
    size_t queries;      /* left out */
    double *E;           /* E[pairs], value[queries]: space */
    double *value;
    struct buffer memory;
};

/* Chooses the queries. 0 or a fault (memory). */
int held_out_open(struct held_out *held_out, const struct evidence *evidence, struct fault *fault);

/* Can anything be told: at least two queries left out, and clicks at position 1 among the others?
 */
bool held_out_tells(const struct held_out *held_out);

/* A difference with its standard error, from the queries left out. */
struct ahead {
    double by, error;
};

/* 1 if it is above 0 with 95 % by Student's t, about two errors and more with few queries; -1 if it
 * is below 0 by as much; else 0: it cannot be told. */
int held_out_sign(const struct held_out *held_out, const struct ahead *ahead);

/* By how much the log likelihood of one is above that of the other, over the queries left out; the
 * error from the differences of these queries. It is the sum of marginal_of_pair, with E_j of
 * users_exposure, and over cells of C ln theta_k and, if they stop, d ln(kappa, .001 at least). */
struct ahead held_out_likelihood(const struct held_out *held_out, const struct users *one,
                                 const struct users *other);

/* What w.z_j adds to the order that users saw: by how much a click of the queries left out is
 * better foretold by ln m_j = b + u ln(mean position of j) + w.z_j than by b1 + u1 ln(mean
 * position). b, u, b1 and u1 are fitted to the others; they also make up for a theta that is wrong
 * where no document moved. The gain is that in the Poisson log likelihood, the sum of
 * C_j ln m_j - E_j m_j, divided by the clicks. The error takes queries as clusters: with the gain
 * Y_c and the clicks N_c of each of C, and their sums Y and N,
 *
 *     sqrt((C - 1) / C sum_c (e_c / (1 - N_c / N))^2) / N,   e_c = Y_c - Y N_c / N.
 *
 * 0 or a fault (memory). */
int held_out_gain(const struct held_out *held_out, const struct users *users, struct ahead *gain,
                  struct fault *fault);

void held_out_close(struct held_out *held_out);

#endif
