/* memory_clicks: what a memory learns from clicks, which are evidence of relevance and no
 * judgements: with what probability users examine each place, and how many examinations of a
 * document the regression's z.v is worth.
 *
 * z, v, S, n and rho are those of memory_effects.h. A document has a rate of clicks, r: the
 * probability of a click by a user who examines it. A user examines place k with probability
 * theta_k, in proportion to place 1. Of a round count the places down to the last click; without a
 * click all of them. c is 1 for a click, else 0. Before the round is learnt, each of these places
 * counts, from the first on:
 *
 *     theta_k  R_k / R_1, within [0.02, 1.5], where R_k = (C_k + 5) / (M_k + 5)
 *     m0       z.v; below 0.02 it is 0.02 exp(z.v - 0.02), which is above 0
 *     mean     (a m0 + S) / (a + n), what is expected of the document
 *     C_k += c,  M_k += max(mean, 0.001)
 *     L_i += ln p if c is 1, else ln (1 - p), for i = 0 to 13, where n > 0, with
 *            p = theta_k (a_i m0 + S) / (a_i + n) within [1e-6, 0.999]: how well the strength
 *            a_i = 2 * 2^(i/2) foretold c
 *     a        the a_i of the greatest L_i - ln(a_i / 2)^2 / 2, the least of equals: 2 at first
 *
 * Places from 10 on share k = 10. What counts at one place is there at the next. After the round n
 * grows by theta_k and S by c: the click is the answer c / theta_k with the weight theta_k, as that
 * of a table of examination.
 *
 * a takes the place of 1 / rho: the mean of a pair is (a m0 + S) / (a + n), as that of a rate whose
 * prior is Beta(a m0, a (1 - m0)). A click thus moves a mean by at most 1 / (2 + theta_k), given
 * z.v, and by less where clicks turned out to be strewn. v learns with a rho of 1/2. A rho that is
 * given takes the place of both, and L is not used. */
#ifndef RANKPIPE_MEMORY_CLICKS_H
#define RANKPIPE_MEMORY_CLICKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "memory/memory_table.h"
#include "model/model.h"

/* The column of a model that learnt clicks; others have none. */
#define MEMORY_CLICKS_COLUMN "clicks"

/* The rho that v learns clicks with by default. */
#define MEMORY_CLICKS_RHO 0.5

/* What the column has, from these numbers on: L, C and M. */
enum { MEMORY_STRENGTHS = 14, MEMORY_PLACES = 10 };
enum memory_click {
    MEMORY_LIKELY = 0, MEMORY_CLICKED = MEMORY_STRENGTHS,
    MEMORY_EXPECTED = MEMORY_CLICKED + MEMORY_PLACES,
    MEMORY_CLICKS = MEMORY_EXPECTED + MEMORY_PLACES
};

struct memory_clicks { /* all zero at first */
    bool known; /* were clicks learnt? */
    double number[MEMORY_CLICKS];
};

/* theta of a place, from 0 on. */
double memory_clicks_theta(const struct memory_clicks *clicks, size_t place);

/* 1 / a */
double memory_clicks_rho(const struct memory_clicks *clicks);

/* m0 of z.v. */
double memory_clicks_prior(double expected);

/* Counts a place, from 0 on, where a pair was clicked or not, before it is learnt: `entry` has its
 * n and S, `expected` is its z.v, theta that of the place, and rho that of the mean: 1 / a, unless
 * it is given. O(MEMORY_STRENGTHS). */
void memory_clicks_count(struct memory_clicks *clicks, double rho, double expected,
                         const struct memory_entry *entry, size_t place, double theta, bool click);

/* Adds the column to a model, if clicks were learnt; it is borrowed. Takes what a model has. 0 or a
 * fault. */
int memory_clicks_save(const struct memory_clicks *clicks, struct model *model,
                       struct fault *fault);
int memory_clicks_load(struct memory_clicks *clicks, const struct model *model,
                       struct fault *fault);

/* Adds L, C and M of another share of a log, which must be finite: those of one run, but for the
 * means that each share knew. */
void memory_clicks_add(struct memory_clicks *clicks, const struct memory_clicks *share);

#endif
