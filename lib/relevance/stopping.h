/* stopping: does a click above a document change the chance of a click on it?
 *
 * kappa is by how much: the Mantel-Haenszel rate ratio of clicks after a click to clicks without
 * one, of the same document at the same position (Greenland & Robins 1985). Of the cells with
 * n0 impressions and c0 clicks without a click above, and m and d with one, in which n0, m and
 * C = c0 + d are above 0, and with t = n0 + m,
 *
 *     R = sum d n0 / t,  S = sum c0 m / t,  V = sum C n0 m / t^2,  each at least 1/2,
 *     kappa = R / S,     and the standard error of ln kappa is sqrt(V / (R S)).
 *
 * Users who examine positions whatever they clicked on have kappa 1, those who stop at the first
 * click 0. It is right only where requests without a click were logged, too: of those with a click,
 * the ones without a click above have one below for sure. */
#ifndef RANKPIPE_STOPPING_H
#define RANKPIPE_STOPPING_H

#include <stdbool.h>

#include "relevance/evidence.h"

struct stopping {
    double kappa, error; /* the error is that of ln kappa */
    double clickless;    /* requests without a click: impressions at position 1 less first clicks */
};

/* From the queries with keep[queries]; NULL: all. O(cells). */
void stopping_measure(const struct evidence *evidence, const bool *keep, struct stopping *stopping);

#endif
