/* sequence: confidence sequences for the mean of clusters.h, which hold for all looks at once: of
 * all tests that are looked at as often as one likes, at most 5 in 100 ever have an interval that
 * does not hold the mean.
 *
 * The normal mixture, two-sided (Robbins 1970; Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2021
 * show that it holds asymptotically). With theta, V and N of the lines so far, alpha = .05, and rho
 * fixed before the first look,
 *
 *   half width = sqrt((V + rho) log((V + rho) / (rho alpha^2))) / N
 *
 * It is narrowest where V = 8.21 rho. rho = 1000/K V / 8.21 with the V of the first lines: those up
 * to the one that brings the K-th cluster whose sum is not 0 (of two tables: whose means differ).
 * So it is narrowest at about 1,000 such clusters. If V is 0 there, as all lines are alike, the sum
 * of Y_c^2 takes its place. The first lines count in theta, and no interval is of them alone.
 *
 * It holds as far as the sum of e_c is about normal. So there is no interval either while a few
 * clusters make most of the sum of squares: while (sum of Y_c^2)^2 / sum of Y_c^4 is below 5. K is
 * 25; for estimates from logs it is 250, as of their first 25 values mostly none has the large
 * weight of a document that is seldom shown: tests/exact/looks.c has how often each is wrong.
 *
 * Wins and losses of independent lines have an exact sequence, for every number of looks. With w
 * wins, l losses, and the probability s of a win,
 *
 *   E(s) = B(a + w, a + l) / B(a, a) / (s^w (1 - s)^l),   a = 25
 *
 * has the mean 1 if s is the truth, whatever came before, so it ever reaches 1 / alpha with a
 * probability of at most alpha (Ville 1939). The interval is of all s with E(s) < 20. */
#ifndef RANKPIPE_SEQUENCE_H
#define RANKPIPE_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "measure/clusters.h"

enum { SEQUENCE_FIRST = 25, SEQUENCE_FIRST_ESTIMATES = 250 }; /* K */

struct sequence { /* all zero at first, except the first three */
    size_t tables; /* 1 or 2: the base and another */
    bool ratio;    /* as in struct clusters */
    size_t wait;   /* K */

    struct buffer cluster[2]; /* struct cluster[clusters] of each table */
    size_t clusters;
    size_t unequal;      /* clusters whose sum is not 0, or whose means differ */
    uint64_t lines[2];   /* of each table so far */
    uint64_t first;      /* lines when rho was fixed, of both; 0: not yet */
    double rho;
};

/* Adds a line of a table, from 0, to a cluster, from 0. 0 or a fault (memory). O(1) on average. */
int sequence_add(struct sequence *sequence, size_t table, size_t cluster,
                 const double part[CLUSTER_PARTS], struct fault *fault);

/* Fixes rho, if the lines so far suffice. Call it after each line; of two tables, after the lines
 * of both that belong together. O(1), except once. */
void sequence_settle(struct sequence *sequence);

/* The mean so far and its interval. */
struct sequence_look {
    double mean, low, high; /* low, high: NaN while there is no interval */
    double times; /* with so many times the lines, at this rate, the half width is |mean|: at least
                   * 1; NaN while there is no interval, infinite from a million times on */
};

/* O(clusters). */
void sequence_look(const struct sequence *sequence, struct sequence_look *look);

void sequence_close(struct sequence *sequence);

/* log E(share) for a share above 0 and below 1. */
double sequence_evidence(double wins, double losses, double share);

/* The same look of wins and losses: mean, low and high are of wins minus losses, as a share of
 * both, which is 2 s - 1. Without either, all are NaN. */
void sequence_wins(double wins, double losses, struct sequence_look *look);

#endif
